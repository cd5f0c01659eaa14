"""What an engine really allocates for a model's cache, by the policies in the engine records."""

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.policy import ALGORITHMS, allocate, choose
from infercompat.allocate.request import Request
from infercompat.derive import Unknown

__all__ = ["ALGORITHMS", "Allocation", "Group", "Request", "Unknown", "allocate", "choose"]
