"""Tests an edit with the real engine: a program of the demo pack with a fault fails, and its repair passes."""

import pytest

from datasets_app.demo_pack import read_pack
from datasets_app.models import Sample
from datasets_app.review import edits
from eval_app.host.bench import EngineBench
from eval_app.request import local_run
from eval_app.request.edits import change_edit, propose_edit
from tests.factories import acting, make_sample, make_task, make_user

pytestmark = [pytest.mark.engine, pytest.mark.django_db]
NAME, RIGHT = "bmm_bias.python_baddbmm", "beta=1.0"


@pytest.fixture
def bench(engine, tmp_path):
    """Return a worker's bench with the engine for the CPU, without the self-test that a worker runs first."""
    bench = EngineBench(tmp_path, 1)
    bench.kinds = ["cpu"]
    bench._engines["cpu"] = engine
    return bench


def run(edit, bench):
    local_run.work_through([edits.standing_of(edit).newest.pk], bench, lambda line: None)
    return edits.standing_of(edit)


def test_a_failing_program_is_repaired_by_an_edit_that_the_engine_passed(bench):
    row = next(row for row in read_pack() if row["name"] == NAME)
    assert RIGHT in row["kernel_code"]
    faulty = row["kernel_code"].replace(RIGHT, "beta=-1.0")
    sample = make_sample(make_task(row["pytorch_code"]), reasoning="", kernel=faulty, language="python")
    base = Sample.objects.with_body().get(pk=sample.pk)
    ada, ben = (acting(make_user("annotator", name)) for name in ("ada", "ben"))
    edit = propose_edit(base, ada, "", faulty.replace("beta=-1.0", "beta=0.0"), "the sign is wrong")
    failed = run(edit, bench)
    assert (failed.status, failed.newest.outcome) == ("failed", "wrong_value"), failed.newest.detail
    change_edit(edit, ada, "", row["kernel_code"], seen=1)
    passed = run(edit, bench)
    assert (passed.status, passed.newest.outcome) == ("passed", "passed"), passed.newest.detail
    revision = edits.accept_edit(edit, ben, seen=2)
    assert (revision.outcome, revision.language, revision.parent_id) == ("passed", "python", base.pk)
