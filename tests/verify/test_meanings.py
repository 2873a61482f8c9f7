"""Tests that every outcome and every finding of the engine is explained."""

import ast
from pathlib import Path

import pytest

import eval_app.engine
from eval_app.engine import Outcome
from eval_app.pages.meanings import FINDINGS, LABELS, OUTCOMES, explained

ENGINE = Path(eval_app.engine.__file__).parent
CODE_AT = {"note": 1, "finding": 1, "Finding": 0, "StructureError": 2}


def literal(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def codes_of_call(call):
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name in CODE_AT and len(call.args) > CODE_AT[name]:
        yield literal(call.args[CODE_AT[name]])
    if name == "RejectedError":
        pairs = (
            node for argument in call.args[2:] for node in ast.walk(argument) if isinstance(node, ast.Tuple)
        )
        yield from (literal(pair.elts[0]) for pair in pairs)


def codes_of_assignment(node):
    """Return the codes in `code = "a" if late else "b"`."""
    if any(getattr(target, "id", "") == "code" for target in node.targets) and isinstance(
        node.value, ast.IfExp
    ):
        yield from (literal(node.value.body), literal(node.value.orelse))


def codes():
    found = set()
    for path in ENGINE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                found |= set(codes_of_call(node))
            elif isinstance(node, ast.Assign):
                found |= set(codes_of_assignment(node))
    return sorted(code for code in found if code)


def test_every_finding_of_the_engine_is_explained():
    """Its codes are read here, not when tests are collected: every worker would read the engine's source."""
    found = codes()
    assert len(found) > 10
    assert not [code for code in found if not explained(code)]


LABELLERS = ("label", "Label", "calls_to", "in_native")


def labels():
    """Return the codes that the engine's source readers pass to `label`."""
    found = set()
    for path in (ENGINE / "labels").glob("*.py"):
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        for call in calls:
            if getattr(call.func, "attr", getattr(call.func, "id", "")) in LABELLERS:
                found |= {literal(argument) for argument in call.args[:2]}
    return sorted(code for code in found if code)


def test_every_label_is_explained():
    found = labels()
    assert len(found) > 8
    assert not [code for code in found if not explained(code)]
    assert not set(LABELS) & set(FINDINGS)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_an_outcome_is_explained(outcome):
    assert OUTCOMES[outcome].says
