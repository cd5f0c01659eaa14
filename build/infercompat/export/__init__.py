"""What machines read: the files of /api/v1, the matrix as a table, badges, and llms.txt."""

from infercompat.export.api import api_files
from infercompat.export.llms import TWINNED, llms_text, twin

__all__ = ["TWINNED", "api_files", "llms_text", "twin"]
