"""Every page of the site as a value, by kind of page."""

from infercompat.render.pages.listing import pages
from infercompat.render.pages.whole import compatibility_context

__all__ = ["compatibility_context", "pages"]
