"""Tests that values added together have the same digits as values added one by one."""

import random

from datasets_app.db.facet_index.sets import BLOCK_ROWS, Builder


def one_by_one(by_place):
    build = Builder()
    for at, value in by_place.items():
        build.add_number("tokens", value, at)
    return build.block()


def together(*parts):
    build = Builder()
    for by_place in parts:
        build.add_numbers("tokens", by_place)
    return build.block()


def amounts(places, seed=3):
    some = random.Random(seed)
    return {at: some.choice([0.0, 1.0, 1.5, 4000.0, 1e300, some.lognormvariate(0, 2)]) for at in places}


def test_of_neighbours_with_gaps_between_them():
    found = amounts(at for at in range(5000, 7500) if at % 7)
    assert together(found) == one_by_one(found)


def test_of_the_first_place_and_the_last():
    found = amounts(range(BLOCK_ROWS))
    assert together(found) == one_by_one(found)


def test_of_places_far_apart():
    found = amounts([0, 9, 4000, BLOCK_ROWS - 1])
    assert together(found) == one_by_one(found)


def test_of_one_place_and_of_none():
    assert together({31: 2.5}) == one_by_one({31: 2.5})
    assert together({}) == one_by_one({})


def test_in_two_turns():
    first, second = amounts(range(0, 200, 2)), amounts(range(1, 200, 2), 4)
    assert together(first, second) == one_by_one(first | second)
