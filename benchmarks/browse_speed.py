# ruff: noqa: E402  Django must be set up before its models are imported
"""Server time of the pages that annotators live on, over rows of realistic size and skew.

    python benchmarks/browse_speed.py --rows 20000 --text-kb 12

Makes its own database in a new folder (SQLite), or uses DATABASE_URL, which must name an empty database.
Times whole requests in this process: middleware, view, template, no network. Prints a table and writes
benchmarks/results/browse_speed-<vendor>-<rows>.json.
"""

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from datetime import timedelta
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("CONCUR_DATA_DIR", tempfile.mkdtemp(prefix="browse-speed-"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
os.environ.setdefault("CONCUR_LOG_LEVEL", "ERROR")

import django

django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from datasets_app.browse.sorting import SAMPLE_SORTS, position
from datasets_app.identity import sample_id, task_id
from datasets_app.models import Operator, Sample, SampleBody, Source, Task, TaskBody, TaskKind
from datasets_app.tokens import count_tokens, tokenizer_name

BATCH = 500


def words(text: str) -> list[str]:
    return text.split()


SAMPLES_A_TASK = 5
COMMON = words(
    "kernel thread block shared memory warp coalesced load store grid stride loop reduce sum row tile float"
)
OPERATORS = words(
    "conv2d relu softmax matmul layer_norm gelu cumsum max_pool2d linear sum conv_transpose2d mean"
)
GENERATORS = ["kevin-32b", "qwq-32b", "deepseek-r1", "ours-7b", "", *(f"lab-model-{n}" for n in range(15))]
OUTCOMES = ["passed"] * 10 + [""] * 5 + ["wrong_value"] * 4 + ["build_error"] * 3
OUTCOMES += ["cheated", "runtime_error", "timeout", "nondeterministic", "infra_error"]
DEVICES = ["NVIDIA H200"] * 6 + ["NVIDIA H100"] * 3 + ["NVIDIA L4"]
KERNEL = '''import torch
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void {name}(const float* x, float* y, int n) {{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * {value}f;
}}
torch::Tensor run(torch::Tensor x) {{
  auto y = torch::empty_like(x);
  {name}<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}}
"""
{padding}

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
'''


class Maker:
    """Rows with a skew like that of real collections: few generators, kinds and words make most of it."""

    def __init__(self, seed: int, text_kb: float) -> None:
        self.random = random.Random(seed)
        self.trace_chars = int(text_kb * 1000 * 2 / 3)
        self.body_chars = int(text_kb * 1000 / 6)
        self.rare = [f"word_{number}" for number in range(40_000)]

    def skewed(self, values: list, power: float = 1.2):
        return values[int(len(values) * self.random.random() ** (1 + power))]

    def prose(self, chars: int) -> str:
        words, size = [], 0
        while size < chars:
            word = self.random.choice(COMMON) if self.random.random() < 0.85 else self.skewed(self.rare)
            words.append(
                word
                if self.random.random() > 0.06
                else word + self.random.choice([".\n\n", ".\n\nWait, ", ", "])
            )
            size += len(words[-1]) + 1
        return " ".join(words)

    def task(self, number: int, source: Source) -> tuple[Task, TaskBody]:
        operator = self.skewed(OPERATORS)
        program = (
            f"import torch\n\nclass Model(torch.nn.Module):\n    # {number}\n    def forward(self, x):\n"
        )
        program += f"        return torch.{operator}(x)\n\n# " + self.prose(self.body_chars).replace(
            "\n", " "
        )
        task = Task(
            id=task_id(program),
            name=f"{operator}_{number}",
            kind=self.skewed(list(TaskKind.values)),
            suite="Bench",
            level=1 + number % 3,
            problem=number,
            source=source,
            operator_count=1,
        )
        return task, TaskBody(task=task, pytorch_code=program)

    def sample(
        self, number: int, task: Task, program: str, sources: list[Source]
    ) -> tuple[Sample, SampleBody]:
        length = int(self.trace_chars * self.random.lognormvariate(-0.2, 0.6))
        reasoning = "" if self.random.random() < 0.1 else f"First, the plan {number}. " + self.prose(length)
        padding = "# " + self.prose(self.body_chars).replace("\n", " ")
        kernel = KERNEL.format(name=f"kernel_{number}", value=number, padding=padding)
        outcome = self.random.choice(OUTCOMES)
        now = timezone.now() - timedelta(seconds=self.random.randint(0, 10_000_000))
        claimed = round(self.random.lognormvariate(0.4, 0.7), 3) if self.random.random() < 0.7 else None
        sample = Sample(
            id=sample_id(program, reasoning, kernel),
            task=task,
            source=self.skewed(sources),
            generator=self.skewed(GENERATORS),
            language=self.random.choice(["cuda"] * 8 + ["triton", "cpp"]),
            has_trace=bool(reasoning),
            trace_tokens=count_tokens(reasoning) if reasoning else None,
            tokenizer=tokenizer_name() if reasoning else "",
            kernel_bytes=len(kernel),
            claimed_speedup=claimed,
            outcome=outcome,
            verified_at=now if outcome else None,
            measured_speedup=self.random.lognormvariate(0.2, 0.6) if outcome == "passed" else None,
            device=self.random.choice(DEVICES) if outcome else "",
            **(
                {"verdict": self.random.choice(["accept", "fix", "reject"]), "reviewed_at": now}
                if number % 7 == 0
                else {}
            ),
        )
        return sample, SampleBody(sample=sample, reasoning=reasoning, kernel_code=kernel)


def fill(rows: int, text_kb: float) -> float:
    """Make the rows; the rate in rows a second, full-text index included, making the texts not."""
    maker = Maker(7, text_kb)
    sources = [Source.objects.create(name=f"source {number}", licence="MIT") for number in range(6)]
    operators = {name: Operator.objects.create(name=name) for name in OPERATORS}
    writing = 0.0
    numbers = iter(range(rows))
    while batch := list(islice(numbers, BATCH)):
        tasks = [maker.task(number, sources[0]) for number in batch if number % SAMPLES_A_TASK == 0]
        pairs = [(number, tasks[at // SAMPLES_A_TASK]) for at, number in enumerate(batch)]
        samples = [maker.sample(number, task, body.pytorch_code, sources) for number, (task, body) in pairs]
        started = time.perf_counter()
        write(tasks, samples, operators)
        writing += time.perf_counter() - started
        print(f"\r{batch[-1] + 1:,} rows", end="", file=sys.stderr)
    print(file=sys.stderr)
    return rows / writing


def write(tasks, samples, operators) -> None:
    with transaction.atomic():
        Task.objects.bulk_create([task for task, _ in tasks])
        TaskBody.objects.bulk_create([body for _, body in tasks])
        link = Task.operators.through
        link.objects.bulk_create(
            [link(task=task, operator=operators[task.name.rpartition("_")[0]]) for task, _ in tasks]
        )
        Sample.objects.bulk_create([sample for sample, _ in samples])
        SampleBody.objects.bulk_create([body for _, body in samples])


def cases(rows: int) -> dict[str, list[str]]:
    """What is timed: name -> addresses, each asked in turn."""
    some = random.Random(3)
    ids = list(Sample.objects.order_by("id").values_list("pk", flat=True)[:: max(1, rows // 40)])
    task_ids = list(Task.objects.order_by("id").values_list("pk", flat=True)[:40])
    rare = [f"word_{some.randint(30_000, 39_999)}" for _ in range(40)]
    deep = deep_cursor()
    return {
        "browse, with facets": ["/browse/"],
        "browse, three filters": ["/browse/?outcome=passed&language=cuda&generator=qwq-32b"],
        "browse, a range, by speedup": ["/browse/?tokens_max=%3C2000&sort=-measured"],
        "browse, deep in the list": [f"/browse/?cursor={deep}"],
        "search, rare word": [f"/browse/?q={word}" for word in rare],
        "search, common word": [f"/browse/?q={word}" for word in COMMON],
        "search, phrase": ["/browse/?q=%22shared+memory%22"],
        "sample page": [f"/samples/{pk}/?in=outcome%3Dpassed" for pk in ids],
        "task page": [f"/tasks/{pk}/" for pk in task_ids],
        "/api/v1/samples/, 100 rows": ["/api/v1/samples/"],
        "/api/v1/samples/?q=, 100 rows": [f"/api/v1/samples/?q={word}" for word in COMMON],
    }


def deep_cursor() -> str:
    sort = SAMPLE_SORTS["created"]
    rows = sort.apply(Sample.objects.all())
    return position(sort, rows[rows.count() * 2 // 3])


def timed(client: Client, urls: list[str], requests: int) -> dict[str, float]:
    """p50 and p95 in milliseconds, and the processor's time of this process: what a busy machine does not distort."""
    for url in urls[:3]:
        client.get(url)
    times, worked = [], []
    for number in range(requests):
        started, work_started = time.perf_counter(), time.process_time()
        response = client.get(urls[number % len(urls)])
        times.append((time.perf_counter() - started) * 1000)
        worked.append((time.process_time() - work_started) * 1000)
        assert response.status_code == 200, (urls[number % len(urls)], response.status_code)
    return {
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(statistics.quantiles(times, n=20)[18], 1),
        "cpu_p50_ms": round(statistics.median(worked), 1),
        "cpu_p95_ms": round(statistics.quantiles(worked, n=20)[18], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument(
        "--text-kb", type=float, default=12, help="program, trace and kernel of a row together"
    )
    parser.add_argument("--requests", type=int, default=40, help="for each case")
    given = parser.parse_args()
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    if Sample.objects.exists():
        sys.exit("This database has samples already; the benchmark wants an empty one.")
    rate = fill(given.rows, given.text_kb)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = Client()
    client.force_login(User.objects.create_user("bench"))
    result = {
        "database": connection.vendor,
        "rows": given.rows,
        "text_kb": given.text_kb,
        "rows_a_second": round(rate),
        "requests": given.requests,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load_average": [round(value, 1) for value in os.getloadavg()],
        "cases": {},
    }
    print(
        f"{connection.vendor}, {given.rows:,} rows of {given.text_kb} KB, written at {rate:,.0f} rows a second"
    )
    print(f"{'':34}      p50      p95  cpu p50  cpu p95   (ms)")
    for name, urls in cases(given.rows).items():
        result["cases"][name] = timed(client, urls, given.requests)
        print(f"{name:34}", *(f"{value:8}" for value in result["cases"][name].values()), flush=True)
    path = ROOT / "benchmarks" / "results" / f"browse_speed-{connection.vendor}-{given.rows}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
