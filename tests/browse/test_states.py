"""Tests that a state is said by a word and a shape beside its colour, the same on every page."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from datasets_app.browse import formats
from datasets_app.models import JobState, Outcome, Verdict

SHEET = Path(settings.BASE_DIR, "static", "css", "components.css")
NAMES = [*JobState.values, *Outcome.values, *Verdict.values, "contested", "stale", "", "partly_refused"]


@pytest.mark.parametrize("name", NAMES)
def test_each_state_has_a_word_a_shape_and_a_known_colour(name):
    word, shape, tone = formats.STATES[name]
    assert re.search("[a-z]", word)
    assert len(shape) == 1
    assert not shape.isalnum()
    assert not tone or f".state.{tone} {{ color:" in SHEET.read_text()


def test_a_state_is_written_with_its_word_and_its_shape_is_drawn():
    assert formats.state("wrong_value") == '<span class="state is-bad" data-shape="✕">wrong value</span>'
    assert ".state::before { content: attr(data-shape);" in SHEET.read_text()


def test_no_colour_alone_tells_two_outcomes_apart():
    shown = [formats.STATES[name][:2] for name in Outcome.values]
    assert len(set(shown)) == len(shown)
