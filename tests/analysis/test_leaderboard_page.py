"""Tests of the leaderboard over a set of tasks: its numbers are those of `evaluate`, on the page and by REST."""

import html
import json
import math
import re
import subprocess
from statistics import stdev

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.analysis import leaderboard as boards
from datasets_app.analysis.evaluation import evaluate
from datasets_app.analysis.leaderboard import leaderboard
from datasets_app.analysis.metrics import MetricError
from datasets_app.analysis.runs.record import create_run
from datasets_app.browse.query import parse_query
from datasets_app.models import Candidate, Source, Synthesis, Task
from tests.api.clients import token_for
from tests.curate.store import failed, passed
from tests.factories import make_sample, make_source, make_task, make_user
from tests.verifications import EPYC, H200

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks():
    """Four tasks, two of level 1. `quick`: three of four right and faster; `slow`: all right; `new`: not verified."""
    made = [make_task(suite="Bench", level=1 + n // 2, problem=n) for n in range(4)]
    quick, slow, new = (make_source(name) for name in ("quick", "slow", "new"))
    for task in made[:3]:
        passed(task, source=quick, speedup=2.0, generator="quick-7b")
    failed(task=made[3], source=quick, generator="quick-7b")
    for task in made:
        passed(task, source=slow, speedup=0.5)
    make_sample(made[0], source=new)
    return made


@pytest.fixture
def reader(client):
    client.force_login(make_user("reader"))
    return client


def text(response):
    return response.content.decode()


def test_runs_are_in_the_order_of_the_lower_end_of_their_share_that_is_faster(tasks):
    board = leaderboard(Task.objects.all(), H200)
    quick, slow = board.runs
    assert (quick.name, quick.right.value, quick.faster.value) == ("quick", 0.75, 0.75)
    assert (quick.best_speedup.value, quick.timed_tasks) == (pytest.approx(2.0), 3)
    assert (slow.name, slow.right.value, slow.faster.value) == ("slow", 1.0, 0.0)
    assert (board.unverified, board.left_out, board.tasks) == (("new",), 0, 4)


def test_every_number_is_the_one_of_evaluate(tasks):
    synthesis = Synthesis.objects.create(
        name="asked", endpoint="local", model="m", template="zero-shot 1", messages=[], per_task=2, seed=0, at_once=1,
        source=Source.objects.get(name="quick"),
    )  # fmt: skip
    stored = {sample.task_id: sample for sample in synthesis.source.samples.all()}
    for task in tasks:
        Candidate.objects.create(
            synthesis=synthesis, task=task, number=0, state="stored", sample=stored[task.pk]
        )
        Candidate.objects.create(synthesis=synthesis, task=task, number=1, state="refused", reason="empty")
    board = leaderboard(Task.objects.all(), H200, p=1.5, k=2)
    for run in board.runs:
        judged = evaluate(Source.objects.get(name=run.name), Task.objects.all(), H200)
        metrics = judged.metrics([1.5], [2])
        assert run.judged == judged
        assert (run.right.value, run.faster.value) == (metrics["fast_0"], metrics["fast_1.5"])
        assert run.pass_at_k is None or run.pass_at_k.value == metrics["pass@2"]
        assert (run.pass_at_k is None) == (metrics["pass@2"] is None)
        assert run.best_speedup.value == metrics["geometric_mean_speedup"]
        assert board.tasks_sha256 == judged.tasks_sha256
    assert board.runs[0].not_decided == {"no kernel": 4}


def test_an_interval_narrows_with_the_tasks_and_holds_the_share(tasks):
    few = leaderboard(Task.objects.all(), H200).runs[0].right
    for number in range(36):
        (passed if number % 4 else failed)(task=make_task(), source=Source.objects.get(name="quick"))
    many = leaderboard(Task.objects.all(), H200).runs[0].right
    assert few.low <= few.value <= few.high
    assert many.low < many.value < many.high
    assert many.high - many.low < few.high - few.low


def test_every_metric_has_an_interval_over_the_tasks(tasks, reader):
    source = make_source("mixed")
    for number in range(40):
        task = make_task()
        passed(task, source=source, speedup=1.0 + number / 10)
        failed(task=task, source=source)
    for _ in range(10):
        failed(task=make_task(), source=source)
    mixed = next(run for run in leaderboard(Task.objects.all(), H200, k=2).runs if run.name == "mixed")
    for found in (mixed.right, mixed.faster, mixed.pass_at_k, mixed.best_speedup):
        assert found.low < found.value < found.high
    speedups = [1.0 + number / 10 for number in range(40)]
    deviation = stdev(map(math.log, speedups)) / math.sqrt(40)
    low, high = (mixed.best_speedup.value * math.exp(end * 1.96 * deviation) for end in (-1, 1))
    assert (mixed.best_speedup.low, mixed.best_speedup.high) == (
        pytest.approx(low, rel=0.05),
        pytest.approx(high, rel=0.05),
    ), "that of the mean of the logarithms, nearly"


def test_tasks_that_all_came_out_the_same_give_an_interval_without_width(tasks):
    best = leaderboard(Task.objects.all(), H200).runs[0].best_speedup
    assert (best.low, best.high) == (pytest.approx(best.value), pytest.approx(best.value))


@pytest.mark.parametrize(
    ("by", "names"),
    [("", "quick slow"), ("right", "slow quick"), ("fastest", "quick slow"), ("pass", "slow quick")],
)
def test_runs_are_in_the_order_of_the_metric_that_is_chosen(tasks, reader, by, names):
    page = text(reader.get(reverse("leaderboard"), {"by": by} if by else {}))
    assert re.findall(r'<th scope="row"[^>]*><a [^>]*>(\w+)</a>', page) == names.split()
    answer = reader.get(reverse("api-leaderboard"), {"by": by or "faster"}).json()
    assert [run["source"] for run in answer["runs"]] == names.split()


def test_a_filter_of_tasks_changes_what_is_judged(tasks, reader):
    page = text(reader.get(reverse("leaderboard"), {"suite": "Bench", "level": "2"}))
    assert "2 tasks" in page
    assert "0.500" in page
    typed = reader.get(reverse("leaderboard"), {"query": "suite:Bench level:2", "p": "1.5"})
    assert typed.status_code == 302
    assert typed["Location"] == f"{reverse('leaderboard')}?suite=Bench&level=2&p=1.5"


def test_a_runs_frozen_tasks_are_judged_and_no_task_that_comes_later(tasks, reader):
    quick = Source.objects.get(name="quick")
    run = create_run("quick on Bench", quick, Task.objects.filter(level=2), COMMAND)
    passed(make_task(suite="Bench", level=2), source=quick, speedup=9.0)
    asked = {"task_set": run.task_set.sha256[:12]}
    page = text(reader.get(reverse("leaderboard"), asked))
    assert "2 tasks" in page
    assert run.task_set.sha256 in page
    links = [html.unescape(link) for link in re.findall(r'href="(/browse/[^"]+)"', page)]
    assert [reader.get(link).context["total"] for link in links[:3]] == [2, 1, 1]
    assert f"{reverse('leaderboard')}?task_set={asked['task_set']}" in text(
        reader.get(run.get_absolute_url())
    )
    listed = reader.get("/api/v1/samples/", {"-task_set": asked["task_set"], "source": "quick"}).json()
    assert len(listed["results"]) == 3, "the later task's sample, and those of level 1"


def test_tasks_that_were_verified_elsewhere_alone_are_judged_there(tasks, reader):
    failed(task=make_task(suite="Other"), source=make_source("elsewhere"), device=EPYC)
    assert f"on {EPYC}" in text(reader.get(reverse("leaderboard"), {"suite": "Other"}))
    assert f"on {H200}" in text(reader.get(reverse("leaderboard")))
    assert "Nothing to judge yet" in text(
        reader.get(reverse("leaderboard"), {"suite": "Other", "on": "H200"})
    )


def test_each_cell_leads_to_the_samples_behind_it(tasks, reader):
    page = text(reader.get(reverse("leaderboard"), {"level": "2"}))
    row = page[page.index("quick") : page.index("slow")]
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="(/browse/[^"]+)"', page)]
    assert "quick-7b" in row
    found = [reader.get(link).context["total"] for link in links[:6]]
    assert found == [2, 1, 1, 1, 1, 2], "all, right, faster, pass@k, the fastest, the candidates"
    assert links[4].endswith("&sort=measured")


def test_undecided_candidates_are_named_by_their_language_which_another_device_may_run(tasks, reader):
    mixed = make_source("mixed")
    for task in tasks:
        passed(task, source=mixed, language="cuda")
        failed(task=task, source=mixed, language="cpp", device=EPYC)
    make_sample(tasks[0], source=mixed, language="triton")
    on_gpu = text(reader.get(reverse("leaderboard"), {"on": H200}))
    assert '5 undecided <span class="soft">(4 C++, 1 Triton)</span>' in on_gpu
    on_cpu = text(reader.get(reverse("leaderboard"), {"on": EPYC}))
    assert '5 undecided <span class="soft">(4 CUDA, 1 Triton)</span>' in on_cpu
    assert "Not judged, since nothing of them was verified on this device: new, quick, slow" in on_cpu


def test_what_cannot_be_judged_is_said(tasks, reader, monkeypatch):
    url = reverse("leaderboard")
    refused = reader.get(url, {"outcome": "passed"})
    assert refused.status_code == 400
    assert "outcome filters samples, not tasks" in text(refused)
    assert "p is a number above 0" in text(reader.get(url, {"p": "nan"}))
    assert "k is a whole number from 1 to 256" in text(reader.get(url, {"k": "0"}))
    assert "by is one of faster, right, pass, fastest" in text(reader.get(url, {"by": "luck"}))
    assert "level accepts a whole number" in text(reader.get(url, {"level": "one"}))
    assert "No sample has evidence on" in text(reader.get(url, {"on": "a toaster"}))
    assert "No task matches" in text(reader.get(url, {"suite": "none of these"}))
    monkeypatch.setattr(boards, "MOST_SAMPLES", 8)
    assert "9 samples are of these tasks, and at most 8 are judged" in text(reader.get(url))
    with pytest.raises(MetricError, match="k from 1"):
        leaderboard(Task.objects.all(), H200, k=0)


def test_without_a_verdict_the_page_says_how_to_get_one(reader):
    make_sample(source=make_source("new"))
    page = text(reader.get(reverse("leaderboard")))
    assert "Nothing to judge yet" in page
    assert "manage.py verify --query source:new --wait" in page


def test_the_command_runs_nothing_else_whatever_the_source_is_called(reader):
    make_sample(source=make_source('it\'s $(touch /tmp/x) "a"'))
    page = html.unescape(text(reader.get(reverse("leaderboard"))))
    (query,) = re.findall(r"verify --query (.*) --wait", page)
    typed = subprocess.run(
        ["sh", "-c", f"printf %s {query}"], capture_output=True, text=True, check=True
    ).stdout
    assert parse_query(typed).by_name == {"source": ('it\'s $(touch /tmp/x) "a"',)}


def test_programs_read_the_same_numbers(tasks, client):
    token = token_for(make_user("reader"), "read")
    headers = {"Authorization": f"Bearer {token}"}
    answer = client.get(reverse("api-leaderboard"), {"suite": "Bench", "k": "1"}, headers=headers).json()
    quick, slow = answer["runs"]
    assert (answer["device"], answer["tasks"], answer["p"], answer["unverified"]) == (H200, 4, 1.0, ["new"])
    assert (quick["source"], quick["fast_p"]["value"], quick["outcomes"]["passed"]) == ("quick", 0.75, 3)
    assert (quick["outcomes"].get("undecided"), quick["undecided_in"]) == (None, {})
    assert slow["geometric_mean_speedup"] == dict.fromkeys(("value", "low", "high"), pytest.approx(0.5))
    assert client.get(quick["samples"], headers=headers).json()["results"][0]["source"] == "quick"
    nothing = client.get(reverse("api-leaderboard"), {"suite": "none of these"}, headers=headers).json()
    assert (nothing["tasks"], nothing["runs"], nothing["unverified"]) == (0, [], [])
    for wrong in ({"p": "-1"}, {"k": "two"}, {"outcome": "passed"}):
        assert client.get(reverse("api-leaderboard"), wrong, headers=headers).status_code == 400


def test_the_command_prints_the_same_numbers(tasks, capsys):
    call_command("leaderboard", "--suite", "Bench", "--by", "right")
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines[0] == f"4 tasks on {H200}, by right"
    assert lines[1].startswith("  1 slow: faster 0.000 (0.00 to 0.00), right 1.000 (1.00 to 1.00)")
    slow, quick = json.loads(last)["runs"]
    assert (quick["source"], quick["right"]["value"], slow["fastest"]["value"]) == ("quick", 0.75, 0.5)
    with pytest.raises(CommandError, match="Nothing has been verified"):
        call_command("leaderboard", "--suite", "none of these")
    with pytest.raises(CommandError, match="p must be above 0"):
        call_command("leaderboard", "-p", "0")


def test_the_queries_do_not_grow_with_the_runs(tasks, django_assert_num_queries):
    with django_assert_num_queries(6):
        leaderboard(Task.objects.all(), H200)
    for number in range(3):
        passed(tasks[0], source=make_source(f"another {number}"), speedup=1.0)
    with django_assert_num_queries(6):
        assert len(leaderboard(Task.objects.all(), H200).runs) == 5
