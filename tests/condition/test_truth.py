"""Three-valued truth: Kleene's tables, and the reasons that are kept."""

import itertools

import pytest

from infercompat.condition.truth import NO, YES, Reason, Truth, all_of, any_of, decided, maybe

T, F, U = True, False, None

AND = {(T, T): T, (T, F): F, (T, U): U, (F, F): F, (F, U): F, (U, U): U}
OR = {(T, T): T, (T, F): T, (T, U): T, (F, F): F, (F, U): U, (U, U): U}


@pytest.mark.parametrize(("one", "other"), list(itertools.product((T, F, U), repeat=2)))
def test_and_or(one, other):
    both = (one, other) if (one, other) in AND else (other, one)
    assert (Truth(one) & Truth(other)).value is AND[both]
    assert (Truth(one) | Truth(other)).value is OR[both]


def test_not():
    assert [(~Truth(value)).value for value in (T, F, U)] == [F, T, U]


def test_of_none():
    assert all_of([]) == YES
    assert any_of([]) == NO


TRUE, FALSE = decided(True, "a is 1", "a"), decided(False, "b is 2", "b")
OTHER_FALSE, MISSING, UNTESTED = decided(False, "c is 3", "c"), maybe("d is 4", "d"), maybe("e is 5", "e", "untested")


def facts(truth):
    return [reason.fact for reason in truth.because]


def test_only_the_reasons_that_decide_are_kept():
    assert facts(all_of([TRUE, FALSE, MISSING, OTHER_FALSE])) == ["b", "c"]
    assert facts(all_of([TRUE, MISSING, UNTESTED])) == ["d", "e"]
    assert facts(all_of([TRUE, TRUE])) == ["a"]
    assert facts(any_of([TRUE, FALSE, MISSING])) == ["a"]
    assert facts(any_of([FALSE, MISSING])) == ["d"]
    assert facts(any_of([FALSE, OTHER_FALSE])) == ["b", "c"]


def test_a_negation_keeps_the_leafs_own_state():
    assert Truth(False, (Reason("a is 1", "a", "true"),)) == ~TRUE
    assert (~MISSING).missing == ("d",)


def test_missing_and_untested():
    truth = all_of([MISSING, UNTESTED, MISSING])
    assert truth.maybe and truth.missing == ("d",) and truth.untested
    assert not MISSING.untested and UNTESTED.missing == ()


def test_a_truth_is_no_condition_of_an_if():
    with pytest.raises(TypeError, match="three values"):
        bool(MISSING)
