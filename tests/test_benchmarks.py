"""Tests that benchmarks fit what they rest on: they are run by hand, so a renaming could miss them."""

import ast
import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks._processor import ProcessorWatch
from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.api_tokens import make_token
from datasets_app.export.finish import finish_files
from datasets_app.models import Review, Sample, Verification
from eval_app.host.bench import gpu_names
from tests.curate.store import frozen, small_store
from tests.factories import make_user
from tests.ingest.conftest import workbench_row

ROOT = Path(__file__).resolve().parent.parent
OURS = ("benchmarks", "concur_site", "datasets_app", "eval_app", "tests")
SCRIPTS = sorted((ROOT / "benchmarks").rglob("*.py"))
KERNELBENCH_PROGRAMS = sorted((ROOT / "benchmarks/kernelbench").glob("*.py"))
KERNELBENCH_TASKS = ROOT.parent / "shared/data/kernelbench_tasks.jsonl"  # others' work, kept outside


def imported(script: Path) -> list[tuple[str, str]]:
    """Return module and name of every import from the project in a script."""
    nodes = [node for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.ImportFrom)]
    return [
        (node.module, alias.name)
        for node in nodes
        if node.module and node.module.split(".")[0] in OURS
        for alias in node.names
    ]


def exists(module: str, name: str) -> bool:
    if module.startswith("benchmarks.libraries"):
        return True  # importing these requires a library
    try:
        return name == "*" or hasattr(import_module(module), name) or bool(import_module(f"{module}.{name}"))
    except ModuleNotFoundError:
        return False


def test_a_name_that_is_gone_is_noticed():
    assert exists("datasets_app.similarity", "minhash")
    assert not exists("datasets_app.similarity.minhash", "gone")
    assert not exists("datasets_app.gone", "minhash")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_script_imports_exists(script):
    assert [found for found in imported(script) if not exists(*found)] == []


def constructor(program: str, class_name: str) -> str | None:
    """Return a constructor's arguments without their types, or None if the program has no such class."""
    classes = {node.name: node for node in ast.parse(program).body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        return None
    methods = {node.name: node for node in classes[class_name].body if isinstance(node, ast.FunctionDef)}
    if "__init__" not in methods:
        return "self"
    arguments = methods["__init__"].args
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(arguments)


@pytest.fixture(scope="module")
def kernelbench_tasks() -> dict[str, str]:
    """Return the programs of KernelBench's levels 1 and 2 by name."""
    if not KERNELBENCH_TASKS.exists():
        pytest.skip(f"{KERNELBENCH_TASKS.name} is not beside the repository")
    rows = [json.loads(line) for line in KERNELBENCH_TASKS.read_text().splitlines()]
    return {row["name"]: row["code"] for row in rows if row["level"] in (1, 2)}


@pytest.mark.parametrize("program", KERNELBENCH_PROGRAMS, ids=lambda path: path.stem)
def test_a_kernelbench_program_is_constructed_as_its_task(program, kernelbench_tasks):
    assert program.stem in kernelbench_tasks
    own = constructor(program.read_text(), "ModelNew")
    assert own == constructor(kernelbench_tasks[program.stem], "Model")


BURNS = "import time\nwhile time.process_time() < 0.4: pass\nprint(flush=True)\ntime.sleep(60)"


def test_processor_time_is_counted_by_kind_of_process():
    watch = ProcessorWatch({"benchmark": os.getpid()})
    watch.start()
    proxy = subprocess.Popen(["nginx", "-c", BURNS], executable=sys.executable, stdout=subprocess.PIPE)
    proxy.stdout.readline()
    used = watch.seconds()
    proxy.kill()
    proxy.wait()
    assert 0.4 <= used["nginx"] < 2
    assert {"nginx", "benchmark", "rest of the machine"} <= set(used)


def test_processor_time_of_a_process_that_ended_is_kept():
    watch = ProcessorWatch({"benchmark": os.getpid()})
    watch.start()
    proxy = subprocess.Popen(["nginx", "-c", BURNS], executable=sys.executable, stdout=subprocess.PIPE)
    proxy.stdout.readline()
    watch.look()
    proxy.kill()
    proxy.wait()
    assert watch.seconds()["nginx"] >= 0.4


def queue_on_gpu(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", "queue_on_gpu", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)


@pytest.mark.skipif(bool(gpu_names()), reason="this machine has a GPU")
def test_the_queue_on_a_gpu_says_in_one_line_that_there_is_none():
    done = queue_on_gpu()
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "This machine has no NVIDIA GPU: --device cpu verifies the C++ samples in its place.\n"
    )


@pytest.mark.long
@pytest.mark.engine
def test_the_queue_on_a_gpu_counts_what_workers_of_the_site_decided(tmp_path):
    result = tmp_path / "result.json"
    done = queue_on_gpu("--device", "cpu", "--limit", "2", "--seconds", "400", "-o", str(result))
    assert done.returncode == 0, done.stderr
    written = json.loads(result.read_text())
    assert (written["requested"], written["decided"], written["outcomes"]) == (2, 2, {"passed": 2})
    assert {row["device"] for row in written["rows"]} == {written["device"]["name"]}
    assert all(row["worker"] for row in written["rows"])


@pytest.mark.long
@pytest.mark.engine
def test_the_queue_on_a_gpu_fails_if_a_sample_is_not_booked_in_time(tmp_path):
    result = tmp_path / "result.json"
    done = queue_on_gpu("--device", "cpu", "--limit", "1", "--seconds", "0", "-o", str(result))
    assert done.returncode == 1
    written = json.loads(result.read_text())
    assert (written["decided"], len(written["not_decided"])) == (0, 1)


@pytest.mark.long
@pytest.mark.skipif(not find_spec("locust"), reason="locust is not installed")  # importing it patches sockets
@pytest.mark.django_db(transaction=True)
def test_the_people_of_the_load_do_what_they_are_said_to_do(live_server, settings, tmp_path):
    from benchmarks._people import answers, session_keys

    settings.EXPORT_DIR = tmp_path
    small_store()
    finish_files(frozen("first"))
    _, token = make_token(make_user("curator"), ["annotate", "curate"], actor=COMMAND)
    make_user("annotator")  # and with it the role, which an emptied database lacks
    kinds = {"list", "next sample", "review page", "draft", "submit a review", "download, slow"}
    kinds |= {"ask for a verification", "upload a file"}
    report = answers(
        {
            "host": live_server.url,
            "seconds": 100,
            "until": [*kinds, "gone"],
            "warm_up_seconds": 0,
            "think_seconds": dict.fromkeys(("reader", "annotator", "download", "program"), (0.1, 0.2)),
            "drafts_a_review": 1,
            "next": "/review/next/",
            "paths": {"list": ["/browse/"], "gone": ["/samples/none/"]},
            "file": "/releases/first/files/jsonl/train.jsonl",
            "sessions": {
                role: session_keys("annotator", 1) for role in ("reader", "annotator", "download", "program")
            },
            "token": token,
            "verify": [{"sample": str(Sample.objects.first().pk), "profile": "quick"}],
            "upload": [workbench_row(1)],
        }
    )
    assert kinds <= set(report["answered"])
    submitted = report["answered"]["submit a review"]
    assert Review.objects.count() in (submitted, submitted + 1), "the last one may have been under way"
    assert Verification.objects.filter(state="queued").count() == 1
    assert report["errors"]
    assert {error.partition(" Locust")[0] for error in report["errors"]} == {"gone: /samples/none/"}
