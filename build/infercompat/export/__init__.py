"""What machines read: the files of /api/v1, the matrix as a table, and badges."""

from infercompat.export.api import api_files

__all__ = ["api_files"]
