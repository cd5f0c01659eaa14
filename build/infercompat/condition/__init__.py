"""Conditions: `when` trees over declared facts, parsed, checked, decided in three values and put into words."""

from infercompat.condition.evaluate import Facts, KnownFacts, applies, evaluate, value_of
from infercompat.condition.facts import FACTS, SCOPES, STAGES, Fact, component_of, lookup, nearest
from infercompat.condition.items import LAYER_PROPERTIES, LINEAR_PROPERTIES, LISTS
from infercompat.condition.never import never_true
from infercompat.condition.nodes import ALWAYS, AllOf, AnyOf, Condition, HasLayer, Is, Leaf, Not, OfItems, Relates, Requires, leaves, words
from infercompat.condition.relation import Quantified, Relation, RelationError, parse_relation
from infercompat.condition.tree import Fault, parse
from infercompat.condition.truth import NO, YES, Reason, Truth, all_of, any_of, decided, maybe
from infercompat.condition.values import MISSING, Between, Missing, OneOf, Range, Value, in_words

__all__ = [
    "ALWAYS",
    "FACTS",
    "LAYER_PROPERTIES",
    "LINEAR_PROPERTIES",
    "LISTS",
    "MISSING",
    "NO",
    "SCOPES",
    "STAGES",
    "YES",
    "AllOf",
    "AnyOf",
    "Between",
    "Condition",
    "Fact",
    "Facts",
    "Fault",
    "HasLayer",
    "Is",
    "KnownFacts",
    "Leaf",
    "Missing",
    "Not",
    "OfItems",
    "OneOf",
    "Quantified",
    "Range",
    "Reason",
    "Relates",
    "Relation",
    "RelationError",
    "Requires",
    "Truth",
    "Value",
    "all_of",
    "any_of",
    "applies",
    "component_of",
    "decided",
    "evaluate",
    "in_words",
    "leaves",
    "lookup",
    "maybe",
    "nearest",
    "never_true",
    "parse",
    "parse_relation",
    "value_of",
    "words",
]
