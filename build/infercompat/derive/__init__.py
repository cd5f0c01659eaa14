"""What a model asks for, computed from its config: layers, requirements, and the cost of its cache."""

from infercompat.derive.context import Context
from infercompat.derive.cost import CacheCost, cache_cost
from infercompat.derive.layers import KINDS, Demands, Layer, Unknown
from infercompat.derive.model import LOOKUP_NAMES, Derived, derive

__all__ = ["KINDS", "LOOKUP_NAMES", "CacheCost", "Context", "Demands", "Derived", "Layer", "Unknown", "cache_cost", "derive"]
