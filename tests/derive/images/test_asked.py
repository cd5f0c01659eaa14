"""The account that a question keeps of the values it used."""

from infercompat.derive.config import Config
from infercompat.derive.images.asked import Asked


def asked(config, processor):
    return Asked(Config(config), 10, 10, processor)


def test_a_processor_goes_before_the_config_before_the_class():
    question = asked({"edge": 3}, {"size": {"edge": 5}})
    assert (question.either("size.edge", "edge", 7), question.either("edge", "edge", 7), question.either("other", "other", 7)) == (5, 3, 7)
    assert question.used == ["size.edge=5", "edge=3", "other=7 (class default)"]


def test_what_stands_in_for_another_value_is_said():
    question = asked({"vision_config": {"image_size": 3}}, {})
    assert question.either("size.longest_edge", "vision_config.image_size", 7) == 3
    assert question.used == ["vision_config.image_size=3 (in place of size.longest_edge)"]


def test_what_is_no_size_is_missing():
    question = asked({"a": -1}, {"b": "x", "c": {"d": 9}})
    assert (question.configured("a"), question.processed("b", 4), question.processed("c.d", 4, most=8), question.configured("e")) == (1, 1, 1, 1)
    assert question.missing == ["a (-1 is not a size)", "b (x is not a size)", "c.d (9 is not a size)", "e"]


def test_switches():
    question = asked({}, {"on": True})
    assert (question.switched("on", False), question.switched("off", False)) == (True, False)
    assert question.answer(1, 1, 1, "a rule").how == "a rule; on=yes, off=no (class default)"
