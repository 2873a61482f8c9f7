"""Tests that signatures estimate the similarity of sets, and that bands find similar ones."""

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.similarity.minhash import (
    BINS,
    band_keys,
    estimate,
    jaccard,
    pack,
    shingles,
    signature,
    unpack,
)


def pair(draw: random.Random, size: int, shared: int) -> tuple[set[int], set[int]]:
    """Return two sets of `size` hashes with `shared` in common."""
    values = [draw.getrandbits(32) for _ in range(2 * size - shared)]
    return set(values[:size]), set(values[size - shared :])


@pytest.mark.parametrize("size", [40, 400])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_the_estimate_is_right_on_average_and_near_each_time(size, share):
    draw = random.Random(7)
    errors = []
    for _ in range(60):
        one, other = pair(draw, size, int(size * share))
        errors.append(estimate(signature(one), signature(other)) - jaccard(one, other))
    assert abs(statistics.mean(errors)) < 0.03
    assert statistics.pstdev(errors) < 0.1


def found_together(likeness: float, tries: int = 150) -> float:
    draw, size = random.Random(3), 500
    shared = round(2 * size * likeness / (1 + likeness))
    pairs = [pair(draw, size, shared) for _ in range(tries)]
    return sum(bool({*band_keys(signature(a))} & {*band_keys(signature(b))}) for a, b in pairs) / tries


def test_bands_find_what_is_alike_and_little_else():
    assert found_together(0.8) > 0.97
    assert found_together(0.1) < 0.03


def test_the_same_set_has_the_same_signature_in_any_order():
    values = [5, 2**31, 77, 12]
    assert signature(values) == signature(reversed(values))
    assert len(signature(values)) == BINS


PINNED_FIRST, PINNED_SECOND = 8011584881955086774, -5319989668211339412


def test_a_signature_never_changes_from_one_version_to_the_next():
    """Stored signatures are compared with new ones."""
    assert band_keys(signature(shingles(list("abcdefgh"))))[:2] == [PINNED_FIRST, PINNED_SECOND]


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_packed_numbers_come_back(values):
    assert list(unpack(pack(values))) == values


def test_short_and_empty_texts_have_shingles_too():
    assert len(shingles(["a", "b"])) == len(shingles([])) == 1
    assert jaccard(shingles(["a"]), shingles(["a"])) == 1
    assert jaccard(shingles(["a"]), shingles(["b"])) == 0


def test_shingles_of_near_texts_overlap():
    words = [f"w{number}" for number in range(200)]
    changed = [*words[:100], "other", *words[101:]]
    assert jaccard(shingles(words), shingles(changed)) == pytest.approx(191 / 201)
