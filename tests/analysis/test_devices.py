"""Tests that the analysis page works on one device at a time, names it, and offers the others."""

import pytest

from tests.curate.store import passed
from tests.verifications import H200, L40, timed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def store():
    for number in range(3):
        timed(passed(speedup=2 + number, trace_tokens=500), 40.0, L40)
    passed(trace_tokens=500, device=L40)


def counted(answer) -> int:
    return next(made.figure.n for made in answer.context["figures"] if made.figure.name == "speedups")


def test_the_page_works_on_the_reference_device_and_names_it(reader):
    answer = reader.get("/analysis/")
    assert answer.context["asked"].device == H200
    assert f'<strong aria-current="true">{H200}</strong>' in answer.content.decode()
    assert counted(answer) == 3


@pytest.mark.parametrize("query", ["on=NVIDIA+L40", "on=L40", "device=NVIDIA+L40"])
def test_another_device_can_be_chosen(reader, query):
    answer = reader.get(f"/analysis/?{query}")
    assert answer.context["asked"].device == L40
    assert counted(answer) == 4


def test_the_choice_stays_with_a_new_query_and_in_every_link(reader):
    page = reader.get("/analysis/?on=L40&bins=paper")
    assert page.context["line"].beside == (("on", L40), ("bins", "paper"))
    assert "/analysis/accuracy.csv?on=NVIDIA+L40&amp;bins=paper" in page.content.decode()
    answer = reader.get("/analysis/", {"query": "generator:a", "on": L40})
    assert answer.url == "/analysis/?generator=a&on=NVIDIA+L40"


def test_a_device_without_evidence_is_refused_with_those_that_have_some(reader):
    answer = reader.get("/analysis/?on=TPU")
    assert answer.status_code == 400
    assert "choose from" in answer.content.decode()


def test_a_file_of_numbers_is_named_after_the_device(reader):
    answer = reader.get("/analysis/fast-p.csv?on=L40")
    assert "fast-p-nvidia-l40.csv" in answer["Content-Disposition"]
