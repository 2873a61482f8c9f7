"""Tests that evidence on a second device does not affect the first: every rule, figure, file and page of numbers.

The pages of a sample, a task and a verification show devices side by side: tests/evidence/test_histories.py.
"""

import io
import math
import re
from collections.abc import Callable, Iterable

import pytest
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.analysis import kept
from datasets_app.analysis.figures import FIGURES
from datasets_app.analysis.runs.record import create_run
from datasets_app.analysis.runs.tables import TABLES
from datasets_app.curate.definition import parse
from datasets_app.curate.parameters import Names
from datasets_app.curate.rules import RULES
from datasets_app.curate.store import select
from datasets_app.export import FORMATS, write_samples
from datasets_app.export.finish import finish_files
from datasets_app.models import Finding, Recipe, Sample, Source, Task
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


# What a page has anew each time.
CHANGING = re.compile(r'name="csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": ?"\w+"')
# The facet of devices, whose numbers are of each device.
OF_EACH = re.compile(r"<a [^>]*device=NVIDIA\+L40[^>]*>.*?</a>", re.DOTALL)
# Addresses whose numbers are of one device. Those of runs, recipes and releases are added to them.
PAGES = (
    *("/browse/", "/browse/?sort=measured", "/browse/?speedup_min=1", "/browse/?outcome=passed", "/curate/"),
    *(
        "/analysis/",
        "/leaderboard/",
        "/runs/",
        "/releases/",
        "/synthesize/",
        "/review/",
        "/analysis/suggestions/",
    ),
    *(f"/analysis/{name}/" for name in FIGURES),
    *("/api/v1/samples/", "/api/v1/leaderboard/", "/api/v1/runs/"),
)
DRAWN = [f"/analysis/{name}/" for name in FIGURES if name not in ("difficulty", "clusters")]


def pages_of_records() -> list[str]:
    """Store a run and a release on the first device, and return the addresses that show their numbers, and recipes'."""
    run = create_run("a run", Source.objects.all()[0], Task.objects.all(), COMMAND, device=H200)
    finish_files(frozen("made", {"version": 1, "device": "H200", "rules": []}))
    of_run = [run.get_absolute_url(), *(reverse("run-table-csv", args=[run.pk, name]) for name in TABLES)]
    recipes = [reverse("recipe", args=[name]) for name in Recipe.objects.values_list("name", flat=True)]
    return [*of_run, *recipes, "/releases/made/", "/releases/made/rows/"]


def test_no_page_mixes_devices(samples, curator, settings, tmp_path, monkeypatch):
    settings.EXPORT_DIR = tmp_path
    monkeypatch.setattr(kept, "SLOW_SECONDS", math.inf)  # so that every figure is made anew
    timed(passed(make_task()), 3.0, L40)  # so that there are two devices from the start

    def read(address: str) -> str:
        answer = curator.get(address)
        assert answer.status_code == 200, address
        return OF_EACH.sub("", CHANGING.sub("", answer.content.decode()))

    addresses = [*PAGES, *pages_of_records()]
    of_the_second = ["/browse/?device=L40", "/leaderboard/?on=L40", *(f"{one}?on=L40" for one in DRAWN)]
    assert changed_by_the_second_device(samples, read, [*addresses, *of_the_second]) == of_the_second
