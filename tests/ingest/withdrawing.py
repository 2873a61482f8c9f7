"""What the tests of withdrawals share: ended ingests, releases that hold a sample, and what lists show."""

from django.utils import timezone

from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import read
from datasets_app.models import Ingest, Release, ReleaseRow


def listed(**params):
    return {row.pk for row in Sets(BrowseFilter.from_params(params), read()).rows()}


def make_ingest(actor, **fields):
    done = {"state": "done", "finished_at": timezone.now()}
    return Ingest.objects.create(
        file_name="rows.jsonl", path="/x", created_by=actor.user, **{**done, **fields}
    )


def in_release(sample, name="first"):
    release = Release.objects.create(name=name, recipe_name="all", definition={})
    ReleaseRow.objects.create(release=release, position=0, sample=sample, split="train", snapshot={})
    Release.objects.filter(pk=release.pk).update(state="queued")
    return release
