"""What machines read: the files of /api/v1, the matrix as a table, badges, feeds, llms.txt, the picture of a link, and pages at former addresses."""

from infercompat.export.api import api_files
from infercompat.export.card import PATH as CARD
from infercompat.export.card import card
from infercompat.export.feeds import feed_files
from infercompat.export.llms import TWINNED, llms_text, twin
from infercompat.export.redirects import redirects

__all__ = ["CARD", "TWINNED", "api_files", "card", "feed_files", "llms_text", "redirects", "twin"]
