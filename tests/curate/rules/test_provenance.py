"""Tests of the rules by provenance."""

from datasets_app.curate.rules.provenance import Language
from tests.curate.rows import row


def test_a_kernel_that_is_dropped_for_its_language_names_it_as_the_pages_do():
    rule = Language({"languages": ["cuda"]})
    assert rule.refuses(row("one", language="cuda")) == ""
    assert rule.refuses(row("two", language="cpp")) == "written in C++"
