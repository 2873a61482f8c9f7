"""Tests of decontamination: which tasks match a benchmark's, how, and the report that a release keeps."""

import pytest

from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.store import select
from datasets_app.export.card import text as card_text
from datasets_app.models import Operator, SampleTag, Tag, Task
from tests.api.clients import api, token_for
from tests.curate.rows import recipe
from tests.curate.store import BY_TASK, frozen
from tests.factories import make_sample, make_task, make_user

pytestmark = pytest.mark.django_db

LONG = "\n".join(f"        x = torch.relu(x * {n}) + torch.tanh(x - {n})" for n in range(15))
PROGRAM = """import torch

class Model(torch.nn.Module):
    def forward(self, x):
{body}
        return x

def get_inputs():
    return [torch.rand(4)]

def get_init_inputs():
    return []
"""


def task(name: str, body: str = LONG, operators: str = "", calls: int | None = None, **fields) -> Task:
    made = make_task(PROGRAM.format(body=body), name=name, **fields)
    made.operators.set([Operator.objects.get_or_create(name=word)[0] for word in operators.split()])
    Task.objects.filter(pk=made.pk).update(operator_calls=calls)
    make_sample(made)
    return made


def fates(**values) -> dict[str, str]:
    rule = {"rule": "decontaminate", "suites": ["KernelBench"], **values}
    selection = select(parse(recipe(rule)))
    report = selection.funnel()[0]["matches"]
    return {entry["task"]: f"{entry['method']} {entry['against']}" for entry in report["tasks"]}


@pytest.fixture
def tasks():
    task("bench", suite="KernelBench", level=1, problem=23, operators="relu tanh conv2d", calls=5)
    task("same", body="        # a comment\n" + LONG.replace("x * 3)", "x  *  3)"))
    task("near", body=LONG.replace("x * 3)", "x * 3.5)").replace("x", "y").replace("y)", "y)"))
    task("alike", body="        x = x.sum()", operators="conv2d relu tanh")
    task("traced", body="        x = x.mean()", operators="conv2d relu tanh", calls=9)
    task("apart", body="        x = x.max()", operators="conv2d relu")


@pytest.mark.usefixtures("tasks")
def test_each_method_finds_its_tasks_and_names_the_benchmarks():
    assert fates(methods=["exact"]) == {"bench": "listed bench", "same": "exact bench"}
    assert fates(methods=["exact", "near"]) == {
        "bench": "listed bench",
        "same": "exact bench",
        "near": "near bench",
    }
    assert fates(methods=["operators"]) == {"bench": "listed bench", "alike": "operators bench"}


@pytest.mark.usefixtures("tasks")
def test_few_operators_say_nothing():
    assert fates(methods=["operators"], fewest_operators=4) == {"bench": "listed bench"}


@pytest.mark.usefixtures("tasks")
def test_a_benchmark_is_a_level_a_source_or_a_stored_list_of_tagged_samples():
    found = Task.objects.get(name="bench")
    assert set(fates(suites=["KernelBench/1"], methods=["exact"])) == {"bench", "same"}
    assert fates(suites=["KernelBench/2"]) == {}
    assert fates(suites=["KernelBench/x"]) == {}
    assert set(fates(suites=[], sources=[found.source.name], methods=["exact"])) >= {"bench", "same"}
    SampleTag.objects.create(sample=found.samples.get(), tag=Tag.objects.create(name="held-out"))
    assert set(fates(suites=[], tags=["held-out"], methods=["exact"])) == {"bench", "same"}


def test_a_comparison_with_nothing_is_refused():
    with pytest.raises(RecipeError, match="choose at least one suite, source or tag"):
        parse(recipe({"rule": "decontaminate"}))


def test_a_benchmark_that_is_not_in_the_store_drops_nothing_and_the_report_says_so():
    task("mine")
    selection = select(parse(recipe({"rule": "decontaminate", "suites": ["KernelBench"]})))
    assert selection.funnel()[0]["matches"] == {
        "task_count": 0,
        "row_count": 0,
        "task_count_by_method": {},
        "tasks": [],
    }


@pytest.mark.usefixtures("tasks")
def test_a_release_keeps_the_report_on_its_page_its_card_and_by_rest(client):
    rule = {"rule": "decontaminate", "suites": ["KernelBench"], "methods": ["exact", "near"]}
    release = frozen("clean", recipe(rule, **BY_TASK))
    (report,) = release.decontamination
    assert (report["rule"], report["task_count"], report["row_count"]) == (1, 3, 3)
    assert report["task_count_by_method"] == {"listed": 1, "exact": 1, "near": 1}
    near = report["tasks"][-1]
    assert (near["task"], near["method"], near["against"], near["rows"]) == ("near", "near", "bench", 1)
    assert 0.8 <= near["similarity"] < 1
    assert "| near | nearly the same program | bench |" in card_text(release, [])
    client.force_login(make_user("reader"))
    page = client.get("/releases/clean/").content.decode()
    assert "Decontamination by rule 1" in page
    assert "nearly the same program" in page
    rest = api(token_for(make_user("reader"), "read")).get("/api/v1/releases/clean/").json()
    assert rest["decontamination"] == release.decontamination


def test_a_release_without_such_a_rule_has_no_report(client):
    task("mine")
    release = frozen("plain", recipe(**BY_TASK))
    assert release.decontamination == []
    assert "Decontamination" not in card_text(release, [])
    client.force_login(make_user("reader"))
    assert "Decontamination" not in client.get("/releases/plain/").content.decode()
