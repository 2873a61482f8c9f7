"""Tests that a sample's history after it passed reaches the recipe, release, check, export and API."""

import io
import json

import pytest

from datasets_app.curate.definition import parse
from datasets_app.curate.rebuild import check
from datasets_app.curate.store import select
from datasets_app.export import write_samples
from datasets_app.export.finish import finish_files
from datasets_app.models import Sample, Verification
from tests.curate.store import PASSED, frozen
from tests.factories import make_sample
from tests.verifications import EPYC, H200, L40, timed, verified

pytestmark = pytest.mark.django_db
ALL_TRAIN = PASSED | {"splits": {"train": 100}}


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    return tmp_path


@pytest.fixture
def sample() -> Sample:
    return make_sample(language="cuda")


@pytest.fixture
def run(sample) -> Verification:
    return timed(sample, 2.0, H200)


HISTORIES = {
    "then our own error": ("infra_error", H200),
    "then an imported report of an unsupported device": ("unsupported", ""),
    "then again on a CPU, which cannot": ("unsupported", EPYC),
    "then a fault on another device": ("wrong_value", L40),
}


@pytest.fixture(params=HISTORIES.values(), ids=HISTORIES.keys())
def later(request, sample, run) -> Verification:
    """Record a later run, which says nothing about the kernel on the first device."""
    outcome, device = request.param
    return verified(sample, outcome, device, days=1)


def fact(values) -> tuple:
    return tuple(values[name] for name in ("outcome", "speedup_over_eager", "device", "verification"))


def test_a_recipe_still_chooses_it(sample, later):
    (chosen,) = select(parse(ALL_TRAIN)).chosen
    assert (chosen.row.id, chosen.row.outcome, chosen.row.measured_speedup) == (str(sample.pk), "passed", 2.0)


def test_a_release_freezes_and_cites_the_run_that_passed(run, later):
    row = frozen(definition=ALL_TRAIN).rows.get()
    assert row.verification == run
    assert fact(row.snapshot) == ("passed", 2.0, H200, str(run.pk))


def test_a_check_of_an_earlier_release_finds_nothing_removed(sample, run):
    release = frozen(definition=ALL_TRAIN)
    for outcome, device in HISTORIES.values():
        verified(sample, outcome, device, days=1)
    assert check(release).same


def test_every_file_holds_the_run_that_passed(run, later, export_folder):
    finish_files(frozen(definition=ALL_TRAIN))
    (line,) = (export_folder / "first/jsonl/train.jsonl").open()
    assert fact(json.loads(line)) == ("passed", 2.0, H200, str(run.pk))
    stream = io.BytesIO()
    write_samples(Sample.objects.all(), "jsonl", stream)
    assert fact(json.loads(stream.getvalue())) == ("passed", 2.0, H200, str(run.pk))


def test_the_api_shows_the_run_that_passed_as_the_headline(reader, sample, run, later):
    (row,) = reader.get("/api/v1/samples/").json()["results"]
    assert (row["outcome"], row["measured_speedup"], row["device"]) == ("passed", 2.0, H200)
    body = reader.get(f"/api/v1/samples/{sample.pk}/").json()
    first, *others = body["evidence"]
    assert fact(first) == ("passed", 2.0, H200, str(run.pk))
    assert [fact(other) for other in others] == (
        [("wrong_value", None, L40, str(later.pk))] if later.outcome == "wrong_value" else []
    )
    deciding = {one["id"]: one["deciding"] for one in body["verifications"]}
    assert deciding == {str(run.pk): True, str(later.pk): later.outcome == "wrong_value"}


def test_on_the_other_device_the_fault_counts(sample, run):
    fault = verified(sample, "wrong_value", L40, days=1)
    assert not select(parse(ALL_TRAIN | {"device": "L40"})).chosen
    whole = {"version": 1, "device": "L40", "rules": []}
    row = frozen(definition=whole).rows.get()
    assert fact(row.snapshot) == ("wrong_value", None, L40, str(fault.pk))
