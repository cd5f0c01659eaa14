"""Versions: reading and ordering them, and what a statement about one says about another."""

from infercompat.versions.affected import Affected, affected
from infercompat.versions.carry import CARRIES_BACK, CARRIES_FORWARD, Carried, Observation, carry, minors_between
from infercompat.versions.order import (
    SCHEMES,
    Order,
    Ordered,
    Unordered,
    Version,
    compare,
    date_of_build,
    days_between,
    diverged,
    is_main_build,
    minor,
    parse_version,
    placed,
)
from infercompat.versions.select import Selection, select
from infercompat.versions.spans import reach, within
from infercompat.versions.tables import BACKENDS, SELECTION, names_cited, newest_backends, read_at, table, versions_of
from infercompat.versions.told import Told, changes_named, holds_change, told

__all__ = [
    "BACKENDS",
    "CARRIES_BACK",
    "CARRIES_FORWARD",
    "SCHEMES",
    "SELECTION",
    "Affected",
    "Carried",
    "Observation",
    "Order",
    "Ordered",
    "Selection",
    "Told",
    "Unordered",
    "Version",
    "affected",
    "carry",
    "changes_named",
    "compare",
    "date_of_build",
    "days_between",
    "diverged",
    "holds_change",
    "is_main_build",
    "minor",
    "minors_between",
    "names_cited",
    "newest_backends",
    "parse_version",
    "placed",
    "reach",
    "read_at",
    "select",
    "table",
    "told",
    "versions_of",
    "within",
]
