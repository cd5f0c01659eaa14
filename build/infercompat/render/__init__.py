"""Turns the join into text: pages for the site, and docs/13 in its short form."""

from infercompat.render.docs13 import docs13
from infercompat.render.environment import Renderer
from infercompat.render.page import Page
from infercompat.render.pages import pages

__all__ = ["Page", "Renderer", "docs13", "pages"]
