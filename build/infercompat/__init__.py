"""infercompat: which inference engine can serve which open-weight model, with what caveats, and how we know."""

__version__ = "0.1.0"
