"""Tests of starting, continuing and the command: what cannot be asked for is refused before anything is stored."""

import json

import pytest
from django.core.management import CommandError, call_command

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Synthesis, Task
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.templates import for_program, template_named, templates, with_hardware
from datasets_app.synthesize.verbs import Plan, go_on, start, tasks_of
from tests.factories import make_source, make_task

pytestmark = pytest.mark.django_db
GOOD = {"name": "first", "endpoint": "local", "model": "m"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": " "}, "Give the synthesis a name"),
        ({"endpoint": "moon"}, "No endpoint is called 'moon'. Endpoints: local"),
        ({"model": ""}, "Name the model"),
        ({"template": "poem"}, "Prompts: zero-shot, one-shot, hardware"),
        ({"template": "hardware"}, "needs facts about the GPU"),
        ({"per_task": 0}, "candidates per task is 0"),
        ({"at_once": 1000}, "requests at once"),
        ({"most_tokens": 0}, "tokens is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"sampling": {"temperature": 3.0}}, "temperature is 3.0; it must be from 0.0 to 2.0"),
        ({"sampling": {"magic": 1}}, "'magic' is no setting"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_words(change, why, server):
    make_task()
    with pytest.raises(SynthesisError, match=why):
        start(Plan(**GOOD | change), Task.objects.all(), COMMAND)
    assert not Synthesis.objects.exists()


def test_a_name_is_used_once_and_tasks_there_must_be(server):
    with pytest.raises(SynthesisError, match="No task matches"):
        start(Plan(**GOOD), Task.objects.all(), COMMAND)
    make_task()
    start(Plan(**GOOD), Task.objects.all(), COMMAND, in_background=False)
    with pytest.raises(SynthesisError, match="There is a synthesis first already"):
        start(Plan(**GOOD), Task.objects.all(), COMMAND)


def test_samples_of_another_source_are_not_mixed_with_it(server):
    make_task(source=make_source("first"))
    with pytest.raises(SynthesisError, match="There is a source first already"):
        start(Plan(**GOOD), Task.objects.all(), COMMAND)


def test_one_that_works_is_not_continued(begun):
    synthesis = begun()
    with pytest.raises(SynthesisError, match="cancel it first"):
        go_on(synthesis, COMMAND)


def test_one_whose_candidates_were_all_answered_is_not_continued(ended):
    with pytest.raises(SynthesisError, match="nothing is left"):
        go_on(ended(), COMMAND)


def test_every_prompt_holds_the_program_and_asks_for_model_new():
    for template in templates().values():
        messages = for_program(with_hardware(template, "141 GB of HBM3e"), "class Model: pass")
        text = messages[-1]["content"]
        assert "class Model: pass" in text
        assert "ModelNew" in text
        assert "{{" not in text
    assert "141 GB" in with_hardware(template_named("hardware"), "141 GB")[-1]["content"]


def test_tasks_are_chosen_by_suite_level_words_and_number():
    one, other = make_task(), make_task()
    Task.objects.filter(pk=one.pk).update(suite="KernelBench", level=1, name="a")
    Task.objects.filter(pk=other.pk).update(suite="KernelBench", level=2, name="b")
    assert [*tasks_of("KernelBench", 1)] == [one]
    assert tasks_of("KernelBench").count() == 2
    assert [*tasks_of(limit=1)] == [one]
    assert not tasks_of("others").exists()


def test_the_command_runs_one_and_prints_what_became_of_it(server, capsys):
    make_task()
    arguments = [
        "start",
        "by-command",
        "--endpoint",
        "local",
        "--model",
        "m",
        "--per-task",
        "2",
        "--temperature",
        "0.5",
    ]
    call_command("synthesize", *arguments)
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said == {
        "name": "by-command", "state": "done", "waiting": 0, "stored": 2, "refused": 0, "failed": 0, "reasons": {},
        "tokens": 36, "cost": None,
    }  # fmt: skip
    call_command("synthesize", "list")
    assert "by-command (m): done, 2 stored" in capsys.readouterr().out
    with pytest.raises(CommandError, match="nothing is left"):
        call_command("synthesize", "continue", "by-command")
    with pytest.raises(CommandError, match="No synthesis is called"):
        call_command("synthesize", "continue", "nobody")
