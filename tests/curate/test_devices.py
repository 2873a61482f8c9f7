"""Tests that evidence on a second device does not affect the first: every rule, every figure, every file."""

import io
from collections.abc import Callable, Iterable

import pytest

from datasets_app.analysis.figures import FIGURES
from datasets_app.curate.definition import parse
from datasets_app.curate.parameters import Names
from datasets_app.curate.rules import RULES
from datasets_app.curate.store import select
from datasets_app.export import FORMATS, write_samples
from datasets_app.models import Finding, Sample
from tests.curate.store import failed, frozen, passed
from tests.factories import make_task
from tests.verifications import H200, L40, timed, verified

pytestmark = pytest.mark.django_db


@pytest.fixture
def samples() -> list[Sample]:
    """Two tasks of three samples, verified on the first device."""
    tasks = [make_task(), make_task()]
    return [
        made
        for task in tasks
        for made in (
            passed(task, speedup=6, language="cuda", trace_tokens=900, generator="a", claimed_speedup=6),
            passed(task, speedup=2, language="cuda", trace_tokens=300, generator="b", claimed_speedup=4),
            failed(task=task, language="cuda", trace_tokens=400, generator="b"),
        )
    ]


def verify_elsewhere(samples: list[Sample]) -> None:
    """Store other evidence for each sample on the second device: later, faster, stricter, with findings."""
    for number, sample in enumerate(samples):
        if number % 3:
            timed(sample, 50.0 + number, L40, days=9, profile="thorough")
        else:
            row = verified(sample, "cheated", L40, days=9, profile="thorough")
            Finding.objects.create(verification=row, code="time_unconfirmed", severity="reject")


def with_defaults(name: str) -> dict:
    """Return the rule with its defaults, and a word where one is required."""
    words = {parameter.name: ["x"] for parameter in RULES[name].parameters if isinstance(parameter, Names)}
    inner = (
        {"rules": [{"rule": "fastest_above"}, {"rule": "top", "rows": 1}]} if RULES[name].takes_rules else {}
    )
    return {"version": 1, "seed": 7, "rules": [{"rule": name, **words, **inner}]}


def chosen(name: str) -> list:
    return select(parse(with_defaults(name))).chosen


def changed_by_the_second_device(
    samples: list[Sample], seen: Callable[[str], object], names: Iterable[str]
) -> list[str]:
    """Return the names of what differs after the samples are verified on the second device."""
    before = {name: seen(name) for name in names}
    verify_elsewhere(samples)
    return [name for name in names if seen(name) != before[name]]


def test_no_rule_sees_another_device(samples):
    assert changed_by_the_second_device(samples, chosen, RULES) == []


def drawn(name: str, device: str = H200) -> object:
    return FIGURES[name](Sample.objects.order_by().with_evidence_on(device), "")


def test_no_figure_counts_another_device(samples):
    assert changed_by_the_second_device(samples, drawn, FIGURES) == []
    on_both = {name for name in FIGURES if drawn(name, L40) == drawn(name)}
    assert on_both == {"difficulty", "clusters"}  # these count tasks and similarity, whatever the device


def written(format: str) -> bytes:
    stream = io.BytesIO()
    write_samples(Sample.objects.all(), format, stream)
    return stream.getvalue()


def test_no_file_of_samples_mixes_devices_within_a_row(samples):
    assert changed_by_the_second_device(samples, written, FORMATS) == []


def test_a_release_is_of_one_device(samples):
    verify_elsewhere(samples)
    passed(device=L40)
    whole = {"version": 1, "rules": []}
    for device in (H200, L40):
        rows = frozen(device[-4:].strip(), whole | {"device": device}).rows.all()
        assert {row.snapshot["device"] for row in rows} <= {device, ""}
        assert {row.verification.device for row in rows if row.verification} == {device}
