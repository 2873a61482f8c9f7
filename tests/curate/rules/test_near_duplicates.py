"""Tests of the rules on clusters of similar kernels."""

import pytest

from datasets_app.curate.definition import parse
from datasets_app.curate.rule import Context
from datasets_app.curate.selection import apply
from datasets_app.curate.store import select
from datasets_app.models import Sample
from tests.curate.rows import choose, names, reasons, recipe, row, table
from tests.curate.store import AT, passed
from tests.factories import make_task

ROWS = table(
    fast={"task": "a", "passed": 3, "trace_tokens": 90, "cluster": "c1", "kernel": "k1"},
    short={"task": "a", "passed": 2, "trace_tokens": 10, "cluster": "c1", "kernel": "k2"},
    other={"task": "b", "passed": 1, "trace_tokens": 50, "cluster": "c1", "kernel": "k3"},
    alone={"task": "b", "passed": 1, "cluster": "c2", "kernel": "k4"},
    new={"task": "c", "kernel": "k5"},
    copy={"task": "c", "kernel": "k5"},
    bare={"task": "c"},
)


@pytest.mark.parametrize(("by", "kept"), [("measured", "fast"), ("shortest", "short")])
def test_one_of_each_cluster_is_kept_by_the_chosen_order(by, kept):
    selection = choose(list(ROWS.values()), {"rule": "near_duplicates", "by": by})
    chosen = names(selection, ROWS)
    assert chosen & {"fast", "short", "other"} == {kept}
    assert {"alone", "bare"} <= chosen
    assert len(chosen & {"new", "copy"}) == 1
    assert reasons(selection) == {"a better one of its cluster is kept": 3}


def test_within_a_task_another_task_keeps_its_own():
    chosen = names(choose(list(ROWS.values()), {"rule": "near_duplicates", "within": "task"}), ROWS)
    assert chosen & {"fast", "short", "other"} == {"fast", "other"}


def test_the_order_of_rows_changes_nothing():
    rule = {"rule": "near_duplicates"}
    one, other = choose(list(ROWS.values()), rule), choose(list(reversed(ROWS.values())), rule)
    assert one.chosen == other.chosen


def test_kernels_like_a_rejected_one_go_and_judged_ones_stay():
    rows = [
        row("like", cluster="c1"),
        row("judged", cluster="c1", verdict="accept"),
        row("unlike", cluster="c2"),
        row("not compared"),
    ]
    definition = parse(recipe({"rule": "like_judged", "verdicts": ["reject", "fix"]}))
    context = Context(judged={"reject": frozenset({"c1"}), "fix": frozenset()})
    selection = apply(definition, rows, context)
    assert {chosen.row.id for chosen in selection.chosen} == {row.id for row in rows[1:]}
    assert reasons(selection) == {"similar to a kernel that is rejected": 1}


KERNEL = (
    "import torch\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return {body}\n"
)
BODY = " + ".join(f"torch.relu(x * {n} - {n + 1})" for n in range(20))


@pytest.mark.django_db
def test_the_store_knows_what_is_similar_to_a_rejected_kernel():
    rejected = passed(make_task(), kernel=KERNEL.format(body=BODY))
    like = passed(make_task(), kernel=KERNEL.format(body=BODY + " + x"))
    unlike = passed(make_task(), kernel=KERNEL.format(body="torch.softmax(x.sum(0), 0).cumsum(0).sin()"))
    Sample.objects.filter(pk=rejected.pk).update(verdict="reject", reviewed_at=AT)
    selection = select(parse(recipe({"rule": "like_judged"})))
    assert {chosen.row.id for chosen in selection.chosen} == {str(rejected.pk), str(unlike.pk)}
    one_each = select(parse(recipe({"rule": "near_duplicates"})))
    assert len(one_each.chosen) == 2
    assert str(like.pk) in {
        dropped for step in selection.steps for d in step.dropped.values() for dropped in d.ids
    }
