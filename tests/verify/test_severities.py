"""Tests that the page of findings has the severity of each, as the engine reports it."""

import ast

import pytest

from eval_app.pages.meanings import FINDINGS
from eval_app.pages.severities import OF_CODE, gravest_meanings_first
from tests.verify.test_meanings import ENGINE, literal


def reported():
    """Return the pairs of a severity and a code that the engine's source names together."""
    pairs = set()
    for path in ENGINE.rglob("*.py"):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            name, arguments = getattr(call.func, "id", getattr(call.func, "attr", "")), call.args
            if name in ("note", "finding") and len(arguments) > 1:
                pairs.add((literal(arguments[0]), literal(arguments[1])))
            elif name == "Finding" and len(arguments) > 1:
                pairs.add((getattr(arguments[1], "attr", "").lower(), literal(arguments[0])))
            elif name == "RejectedError":
                tuples = (
                    node for each in arguments[2:] for node in ast.walk(each) if isinstance(node, ast.Tuple)
                )
                pairs |= {("reject", literal(each.elts[0])) for each in tuples if each.elts}
    return {(severity, code) for severity, code in pairs if severity and code in FINDINGS}


def test_each_finding_has_the_severities_with_which_the_engine_reports_it():
    found = reported()
    assert len(found) > 30
    assert not [(severity, code) for severity, code in found if severity not in OF_CODE[code]]


def test_the_gravest_come_first_and_those_of_earlier_engines_last():
    severities = [names for _, _, names in gravest_meanings_first(FINDINGS)]
    assert (severities[0], severities[-1]) == (("reject",), ())
    assert len(severities) == len(FINDINGS)
    assert set(OF_CODE) <= set(FINDINGS)


@pytest.mark.django_db
def test_each_row_of_the_page_has_its_severity(reader):
    page = reader.get("/verify/findings/").content.decode()
    assert (
        '<dt id="output_replayed"><code>output_replayed</code> <span class="badge is-bad">reject</span></dt>'
        in page
    )
    assert (
        '<dt id="large_speedup"><code>large_speedup</code> <span class="badge is-doubt">audit</span></dt>'
        in page
    )
    assert page.index('id="wrong_later"') < page.index('id="large_speedup"') < page.index('id="varying_bits"')
