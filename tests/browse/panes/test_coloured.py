"""Tests of syntax colours in differences: they survive the marks of changed words, and hostile text stays text."""

from itertools import pairwise
from random import Random

import pytest

from datasets_app.browse.panes.coloured import joined
from datasets_app.browse.panes.compared import compared
from datasets_app.templatetags.browse import marked

OLD = "def forward(self, x):\n    return torch.relu(x) + 12\n"
NEW = "def forward(self, x):\n    return torch.relu(x) + 34  # more\n"


def rows(left, right, coloured=True):
    found = compared(left, right, False, False, 1, coloured)
    return [row for hunk in found.hunks for row in hunk.rows]


def test_a_changed_number_is_marked_and_keeps_its_colour():
    same, changed = rows(OLD, NEW)
    assert '<span class="k">def</span>' in marked(same.left_parts)
    assert '<mark><span class="n">12</span></mark>' in marked(changed.left_parts)
    right = marked(changed.right_parts)
    assert '<span class="k">return</span>' in right
    assert "# more</span>" in right


def test_both_sides_read_as_before():
    for plain, coloured in zip(rows(OLD, NEW, coloured=False), rows(OLD, NEW), strict=True):
        for side in ("left_parts", "right_parts"):
            before, after = getattr(plain, side), getattr(coloured, side)
            assert "".join(part[1] for part in before) == "".join(part[1] for part in after)


def test_a_string_over_several_lines_is_coloured_on_each():
    source = 's = """\nfirst\n"""\n'
    for row in rows(source, source.replace("first", "second")):
        assert 'class="s"' in marked(row.left_parts)


@pytest.mark.parametrize("coloured", [True, False])
def test_hostile_text_is_escaped(coloured):
    hostile = 'x = "<script>alert(1)</script>"  # <b>\u202e\n'
    for row in rows(hostile, hostile.replace("alert", "confirm"), coloured):
        html = marked(row.left_parts) + marked(row.right_parts)
        assert "<script" not in html
        assert "<b>" not in html
        assert "\u202e" not in html


def test_a_text_that_is_too_long_is_shown_without_colours(monkeypatch):
    monkeypatch.setattr("datasets_app.browse.panes.coloured.COLOURED_CHARS", 10)
    assert "span" not in marked(rows(OLD, NEW)[0].left_parts)


@pytest.mark.parametrize("seed", range(40))
def test_tokens_and_marks_are_cut_at_every_boundary(seed):
    drawn = Random(seed)
    parts = [(drawn.random() < 0.5, "ab <\t"[: drawn.randint(0, 5)]) for _ in range(drawn.randint(0, 6))]
    text = "".join(part[1] for part in parts)
    at = sorted({0, len(text), *drawn.sample(range(len(text) + 1), min(3, len(text)))})
    line = [("k" if number % 2 else "", text[a:b]) for number, (a, b) in enumerate(pairwise(at))]
    found = joined(parts, line)
    flags = [part[0] for part in parts for _ in part[1]]
    classes = [css for css, piece in line for _ in piece]
    assert [(part[0], *part[2:]) for part in found for _ in part[1]] == list(zip(flags, classes, strict=True))
    assert "".join(part[1] for part in found) == text
