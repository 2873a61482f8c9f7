"""What is kept in one split, what leaks where it is not, and what a freeze says of it."""

import json

import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.curate.leaks import report
from datasets_app.curate.splits import Together, groups
from datasets_app.export.finish import finish_files
from datasets_app.models import JobState, KernelFingerprint
from datasets_app.models.identity import task_id
from tests.curate.rows import choose, ident, row
from tests.curate.store import PASSED, frozen, passed
from tests.factories import make_task
from tests.ingest.conftest import REAL_DATA

PARTS = {"train": 50, "validation": 25, "test": 25}


def grouped(rows, together) -> list[set[str]]:
    """Return the groups as sets of task names, the largest first."""
    of_task = groups(rows, Together(together))
    by_group: dict[str, set[str]] = {}
    for one in rows:
        by_group.setdefault(of_task[one.task], set()).add(one.task_name)
    return sorted(by_group.values(), key=lambda tasks: (-len(tasks), sorted(tasks)))


NUMBERED = [
    row("a", "relu", suite="KernelBench", level=1, problem=19, program="p1", kernel="k1", cluster="c1"),
    row("b", "relu again", suite="KernelBench", level=1, problem=19, program="p2", kernel="k2", cluster="c2"),
    row("c", "relu elsewhere", program="p2", kernel="k3", cluster="c3"),
    row("d", "gelu", suite="KernelBench", level=1, problem=26, program="p4", kernel="k4", cluster="c3"),
    row("e", "tanh", suite="KernelBench", level=2, problem=19, program="p5", kernel="k5", cluster="c5"),
]


@pytest.mark.parametrize(
    ("together", "expected"),
    [
        ("tasks", [{"gelu"}, {"relu"}, {"relu again"}, {"relu elsewhere"}, {"tanh"}]),
        ("problems", [{"relu", "relu again", "relu elsewhere"}, {"gelu"}, {"tanh"}]),
        ("near_duplicates", [{"relu", "relu again", "relu elsewhere", "gelu"}, {"tanh"}]),
    ],
)
def test_a_group_is_what_a_chain_of_shared_keys_joins(together, expected):
    assert grouped(NUMBERED, together) == expected


@pytest.mark.parametrize("lacking", [None, ""])
def test_what_is_not_known_joins_nothing(lacking):
    rows = [row(name, name, suite="", program=lacking, kernel=lacking, cluster=lacking) for name in "abc"]
    assert grouped(rows, "near_duplicates") == [{"a"}, {"b"}, {"c"}]


keyed = st.builds(
    lambda number, task, problem, program, kernel, cluster: row(
        f"s{number}",
        f"t{task}",
        suite="Suite" if problem else "",
        level=1,
        problem=problem,
        program=program,
        kernel=kernel,
        cluster=cluster,
    ),
    st.integers(0, 10_000),
    st.integers(0, 15),
    st.none() | st.integers(1, 5),
    *[st.sampled_from([None, "", *(f"{kind}{n}" for n in range(9))]) for kind in ("p", "k", "c")],
)
stores = st.lists(keyed, max_size=40, unique_by=lambda one: one.id)


@given(rows=stores, order=st.randoms(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_by_default_no_split_leaks_into_another_whatever_the_order_of_rows(rows, order, seed):
    chosen = choose(rows, splits=PARTS, seed=seed).chosen
    assert report(((one.row, one.split) for one in chosen), Together.NEAR_DUPLICATES).leaks == []
    order.shuffle(rows)
    assert choose(rows, splits=PARTS, seed=seed).chosen == chosen


def test_an_unrelated_row_moves_no_other():
    before = {one.row.id: one.split for one in choose(NUMBERED, splits=PARTS).chosen}
    more = [row(f"x{n}", f"u{n}", cluster=f"other{n}") for n in range(30)]
    after = {one.row.id: one.split for one in choose([*more, *NUMBERED], splits=PARTS).chosen}
    assert before.items() <= after.items()


def test_leaks_are_counted_by_what_is_shared_with_an_example_of_each_split():
    placed = [(NUMBERED[0], "train"), (NUMBERED[1], "test"), (NUMBERED[2], "train"), (NUMBERED[3], "test")]
    found = report(placed, Together.TASKS)
    assert found.leak_counts == {"problem": 1, "program": 1, "cluster": 1}
    assert found.words() == "1 problem, 1 program and 1 cluster of similar kernels"
    first = found.leaks[0]
    assert first.words() == "problem KernelBench/1/19 in test and train"
    assert first.examples == {"test": ident("b"), "train": ident("a")}


def test_a_report_says_how_large_the_largest_group_is():
    found = report([(one, "train") for one in NUMBERED], Together.PROBLEMS)
    assert (found.group_count, found.largest_group_rows) == (3, 3)
    assert "samples of a problem; 3 groups, the largest of 3 rows." in found.sentence()


@pytest.mark.skipif(not REAL_DATA.is_dir(), reason="the published files are not on this machine")
def test_problems_that_two_published_files_share_are_in_one_split():
    """KernelBench's own programs and CUDA-L1's copies of them differ in their texts: drawn by task, they straddle."""
    rows = [
        row(f"{file}{number}", str(task_id(code)), suite="KernelBench", level=level, problem=problem)
        for file in ("kernelbench_tasks.jsonl", "cuda_l1_h100.jsonl")
        for number, (level, problem, code) in enumerate(numbered(file))
    ]
    shares = {"train": 90, "validation": 5, "test": 5}
    apart = choose(rows, splits=shares, together="tasks").chosen
    together = choose(rows, splits=shares).chosen
    straddling = [
        report(((one.row, one.split) for one in chosen), Together.TASKS).leak_counts.get("problem", 0)
        for chosen in (apart, together)
    ]
    assert straddling[0] > 20
    assert straddling[1] == 0


def numbered(file: str) -> list[tuple[int, int, str]]:
    own = file.startswith("kernelbench")
    names = ("level", "problem_id", "code") if own else ("level_id", "task_id", "ref_code")
    lines = (REAL_DATA / file).read_text(encoding="utf-8").splitlines()
    return [tuple(json.loads(line)[name] for name in names) for line in lines]


@pytest.mark.django_db
def test_a_freeze_refuses_leaks_with_what_is_shared_and_what_to_do():
    for problem in range(12):
        for number in range(2):
            passed(
                make_task(suite="Suite", level=1, problem=problem), kernel=f"def k{problem}_{number}(): pass"
            )
    release = frozen(definition=PASSED | {"allow_leaks": False})
    assert release.state == JobState.FAILED
    assert "Splits would share" in release.error
    assert "problems" in release.error
    assert "such as problem Suite/1/" in release.error
    assert "or allow leaks there" in release.error


@pytest.mark.django_db
def test_allowed_leaks_are_said_by_the_release_its_card_and_its_page(settings, tmp_path, reader):
    settings.EXPORT_DIR = tmp_path
    for problem in range(12):
        for _ in range(2):
            passed(make_task(suite="Suite", level=1, problem=problem))
    release = frozen("leaking")
    finish_files(release)
    assert release.state == JobState.DONE
    assert release.split_report["leak_counts"]["problem"] > 0
    card = (tmp_path / "leaking" / "README.md").read_text()
    for text in (card, reader.get("/releases/leaking/").content.decode()):
        assert f"Several splits share {release.split_report['leak_counts']['problem']} problems" in text
        assert "which its recipe allowed" in text


@pytest.mark.django_db
def test_the_command_looks_again_for_leaks_in_a_frozen_release(capsys):
    for problem in range(12):
        for _ in range(2):
            passed(make_task(suite="Suite", level=1, problem=problem))
    frozen("leaking")
    with pytest.raises(SystemExit):
        call_command("release", "leaks", "leaking")
    said = capsys.readouterr()
    assert "problem Suite/1/" in said.err
    assert json.loads(said.out.splitlines()[-1])["leak_counts"]["problem"] > 0
    frozen("sound", PASSED | {"together": "near_duplicates", "allow_leaks": False})
    call_command("release", "leaks", "sound")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["leaks"] == []


@pytest.mark.django_db
def test_a_freeze_compares_the_kernels_that_were_not_compared_yet():
    for _ in range(3):
        passed(make_task())
    assert not KernelFingerprint.objects.exists()
    release = frozen(definition=PASSED | {"together": "near_duplicates", "allow_leaks": False})
    assert KernelFingerprint.objects.exclude(cluster="").count() == 3
    assert len(release.split_counts) == 1, "the kernels are alike"
    assert "No two splits share" in release.split_report["sentence"]


@pytest.mark.django_db
def test_one_split_needs_no_comparison_and_has_no_report():
    passed(make_task())
    release = frozen(definition=PASSED | {"splits": {"train": 100}})
    assert release.split_report == {}
    assert not KernelFingerprint.objects.exists()
