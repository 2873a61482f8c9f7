"""Tests of listings of machine code: recognised, and compared by their instructions."""

import pytest

from datasets_app.browse.highlight.lexing import pieces
from datasets_app.browse.panes.compared import compared
from datasets_app.syntax.diff_instructions import compare_instructions
from datasets_app.syntax.languages import detect_language
from datasets_app.syntax.sass import comparable, is_listing
from tests.factories import make_sample, make_task

INSTRUCTIONS = ["MOV R1, c[0x0][0x28]", "S2R R0, SR_CTAID.X", "LDG.E R2, [R4.64]", "FADD R3, R2, R2", "EXIT"]


def listing(instructions: list[str]) -> str:
    """Return the instructions as cuobjdump prints them."""
    lines = []
    for number, text in enumerate(instructions):
        lines.append(f"        /*{16 * number:04x}*/                   {text} ;   /* 0x00000a00ff017624 */")
        lines.append("                                                     /* 0x000fe200078e00ff */")
    return "\n".join(lines) + "\n"


def schedule(instructions: list[str], stall: int = 1) -> str:
    """Return the instructions as CuAssembler writes them, with control codes."""
    return "\n".join(
        f"      [B------:R-:W2:-:S{stall:02d}]         /*{16 * number:04x}*/                   {text} ;"
        for number, text in enumerate(instructions)
    )


@pytest.mark.parametrize("form", [listing, schedule])
def test_both_forms_are_listings(form):
    text = form(INSTRUCTIONS)
    assert is_listing(text)
    assert detect_language(text) == "sass"
    assert comparable(text).count("\n") == len(INSTRUCTIONS) - 1
    assert "".join(piece for _, piece in pieces(text)) == text
    assert ("k", "EXIT") in list(pieces(text))


def test_a_kernel_with_such_comments_is_no_listing():
    text = "#include <torch/extension.h>\n/*0000*/ EXIT\n__global__ void f() {}\n"
    assert not is_listing(text)
    assert detect_language(text) == "cuda"


@pytest.mark.parametrize("form", [listing, schedule])
def test_the_same_instructions_in_another_order_have_moved(form):
    other = [INSTRUCTIONS[at] for at in (0, 2, 1, 3, 4)]
    diff = compared(form(INSTRUCTIONS), form(other), False, True, 1)
    assert (diff.added, diff.removed, diff.reordered, diff.same) == (0, 0, 1, False)
    moved = [row for hunk in diff.hunks for row in hunk.rows if row.moved]
    assert sorted((row.kind, row.left, row.right, row.moved) for row in moved) in (
        [("added", 0, 2, 3), ("removed", 3, 0, 2)],
        [("added", 0, 3, 2), ("removed", 2, 0, 3)],
    )


def test_an_instruction_that_only_one_side_has_is_no_move():
    other = [*INSTRUCTIONS[:3], "FMUL R3, R2, R2", "NOP", "EXIT"]
    diff = compared(listing(INSTRUCTIONS), listing(other), False, True, 1)
    assert (diff.added, diff.removed, diff.reordered) == (2, 1, 0)


def test_another_control_code_of_the_same_instruction_is_a_change():
    left, right = (comparable(schedule(INSTRUCTIONS, stall)) for stall in (1, 4))
    diff = compare_instructions(left, right)
    assert (diff.added, diff.removed, diff.reordered) == (5, 5, 0)
    assert compare_instructions(left, left).same


def test_as_many_copies_move_as_both_sides_have():
    diff = compare_instructions("A\nNOP\nB\nC", "NOP\nNOP\nB\nC\nA")
    rows = [row for hunk in diff.hunks for row in hunk.rows]
    assert diff.reordered == 1
    assert [row.right_parts[0][1] for row in rows if row.kind == "added" and row.moved] == ["A"]
    assert (diff.added, diff.removed) == (1, 0)


@pytest.mark.django_db
def test_the_page_of_a_schedule_shows_against_another_what_moved(reader):
    task = make_task()
    other = [INSTRUCTIONS[at] for at in (0, 2, 1, 3, 4)]
    theirs, ours = (
        make_sample(task, kernel=schedule(each), language="sass") for each in (INSTRUCTIONS, other)
    )
    page = reader.get(ours.get_absolute_url(), {"against": theirs.pk, "of": "kernel"}).content.decode()
    assert "lines, 1 moved" in page
    assert "The same instructions in another order." in page
    assert page.count("is-moved") == 2, "at the place that it left, and at the one where it is"
