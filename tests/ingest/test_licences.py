"""Tests of a program's own licence, from the file to the pages, the recipe and the export."""

import io
import json

import pytest

from datasets_app.curate.definition import parse
from datasets_app.curate.known import names
from datasets_app.curate.store import select
from datasets_app.export.samples import write_samples
from datasets_app.models import Sample, Task
from tests.curate.rows import recipe
from tests.factories import make_sample
from tests.ingest.conftest import ingest_file
from tests.ingest.test_formats import KERNELBOOK

pytestmark = pytest.mark.django_db


@pytest.fixture
def ingest_row(tmp_path):
    def ingest(**more):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
        path.write_text(json.dumps([{**KERNELBOOK, **more}]))
        return ingest_file(path)

    return ingest


@pytest.fixture
def sample(ingest_row):
    """A sample under MIT, of a program under GPL-3.0."""
    ingest_row(licenses=["GPL-3.0"])
    made = make_sample(Task.objects.get())
    made.source.licence = "MIT"
    made.source.save()
    return made


def chosen_under(*licences):
    return len(select(parse(recipe({"rule": "licence", "licences": list(licences)}))).chosen)


def test_a_task_has_its_own_licence_and_not_the_collections(ingest_row, reader):
    ingest_row(licenses=["GPL-3.0"])
    task = Task.objects.get()
    assert (task.source.licence, task.licence) == ("MIT", "GPL-3.0")
    assert "GPL-3.0" in reader.get(task.get_absolute_url()).content.decode()
    assert reader.get(f"/api/v1/tasks/{task.pk}/").json()["licence"] == "GPL-3.0"


def test_a_row_without_licences_has_its_sources(ingest_row):
    ingest_row(licenses=[])
    assert Task.objects.get().licence == "MIT"


def test_a_program_that_came_without_its_licence_is_given_it_later(ingest_row):
    ingest_row(licenses=[])
    ingest_row(licenses=["GPL-3.0"], stars=4)
    assert Task.objects.get().licence == "GPL-3.0"


def test_a_sample_is_under_both_licences_on_its_page_in_the_api_and_in_an_export(sample, reader):
    assert "MIT AND GPL-3.0" in reader.get(sample.get_absolute_url()).content.decode()
    assert reader.get(f"/api/v1/samples/{sample.pk}/").json()["licence"] == "MIT AND GPL-3.0"
    written = io.BytesIO()
    write_samples(Sample.objects.all(), "jsonl", written)
    assert json.loads(written.getvalue())["licence"] == "MIT AND GPL-3.0"


def test_a_recipe_keeps_a_row_only_where_all_its_licences_are_wanted(sample):
    assert [chosen_under("MIT"), chosen_under("GPL-3.0"), chosen_under("MIT", "GPL-3.0")] == [0, 0, 1]
    assert {"MIT", "GPL-3.0"} <= set(names("licences"))
