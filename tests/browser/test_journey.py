"""Tests the main workflows end to end by pages: from a file to a split, and from a model's answers to an export.

Nothing is mocked: kernels are built and run. A server of recorded answers speaks for the model.
"""

import hashlib
import json
import os
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from benchmarks._recorded_answers import answer, tasks
from datasets_app.demo_pack import read_pack
from tests.browser.conftest import PICTURES
from tests.browser.states.judging import Judge
from tests.ingest.conftest import write_lines
from tests.live import LiveSite
from tests.synthesize.model_server import model_server, streams

pytestmark = [pytest.mark.browser, pytest.mark.engine]  # the longest of its run, so it begins first
KERNEL = "silu_gate_add.cpp_fused"
BUILD_AND_RUN_MS = 240_000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site without the demo pack, which the first workflow adds, and with an endpoint for the second."""
    with (
        model_server(lambda handler, request: streams(answer(request))(handler, request)) as server,
        LiveSite(
            tmp_path_factory.mktemp("journey"), CONCUR_DEMO="0", CONCUR_ENDPOINTS=f"recorded={server.url}"
        ) as live,
    ):
        live.wait_for(r"Taking work from verify", within_seconds=600)
        yield live


def ingest_the_pack(page: Page, site: LiveSite, path) -> None:
    page.get_by_role("link", name="Ingest", exact=True).first.click()
    page.get_by_label("Files").set_input_files(path)
    page.get_by_text("Source, licence, device the claims were measured on").click()
    page.get_by_label("Source", exact=True).fill("Demo pack")
    page.get_by_label("Licence").fill("Apache-2.0")
    page.get_by_role("button", name="Ingest").click()
    expect(page.locator("#progress .state.is-good")).to_be_visible(timeout=60_000)
    counts = page.locator("#progress dl").inner_text().split()
    assert str(len(list(read_pack()))) in counts


def open_the_kernel(page: Page) -> None:
    name = KERNEL.partition(".")[0]
    page.get_by_role("link", name="Browse", exact=True).first.click()
    page.locator("main [data-search]").fill(f"language:cpp task:{name}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name=name).first).to_be_visible()
    wanted = next(row for row in read_pack() if row["name"] == KERNEL)
    row = page.get_by_role("row").filter(has_text=wanted["generator"]).filter(has_text=name)
    row.get_by_role("link").first.click()
    page.wait_for_url("**/samples/**")  # fully loaded: a page's keys work from then on
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def verify_it(page: Page) -> None:
    page.keyboard.press("v")
    expect(page.locator(".evidence-line .state").first).to_have_text("passed", timeout=BUILD_AND_RUN_MS)
    page.reload()
    expect(page.locator(".sample-title")).to_contain_text("passed")


def review_it(page: Page) -> None:
    """Review by keyboard alone: the four scores, the verdict, save."""
    page.keyboard.press("r")
    page.wait_for_url("**/review/**")
    for criterion, score in zip("cqth", "5444", strict=True):
        page.keyboard.press(criterion)
        page.keyboard.press(score)
    page.keyboard.press("m")
    page.keyboard.type("Fuses the chain; one pass over memory.")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()


def freeze(page: Page, site: LiveSite) -> None:
    page.goto(f"{site.url}/curate/verified-accepted/")
    expect(page.locator(".funnel, [class*=funnel]").first).to_be_visible()
    page.locator("#release-name").fill("journey")
    page.get_by_role("button", name="Freeze").click()
    page.wait_for_url("**/releases/journey/")
    expect(page.get_by_role("link", name="jsonl/train.jsonl")).to_be_visible(timeout=60_000)


def download(page: Page, tmp_path) -> tuple[bytes, str, int]:
    """Return the JSONL file that holds the row: its bytes, and the hash and row count on the page."""
    rows = page.locator("tr").filter(has=page.locator("a[href$='.jsonl']"))
    line = next(row for row in rows.all() if row.locator("td.num").first.inner_text() != "0")
    stated, count = line.locator(".hash").inner_text(), int(line.locator("td.num").first.inner_text())
    with page.expect_download() as started:
        line.get_by_role("link").click()
    path = tmp_path / "rows.jsonl"
    started.value.save_as(path)
    return path.read_bytes(), stated, count


def test_from_a_file_to_a_split_that_can_be_checked(page: Page, site: LiveSite, tmp_path):
    ingest_the_pack(page, site, write_lines(tmp_path / "pack.jsonl", read_pack()))
    open_the_kernel(page)
    verify_it(page)
    folder = PICTURES if os.environ.get("CONCUR_PICTURES") == "1" else tmp_path
    page.screenshot(path=folder / "sample.png")
    review_it(page)
    freeze(page, site)
    content, stated_sha256, stated_rows = download(page, tmp_path)
    rows = [json.loads(line) for line in content.splitlines()]
    assert hashlib.sha256(content).hexdigest() == stated_sha256
    assert (len(rows), stated_rows) == (1, 1)
    kernel = next(row for row in read_pack() if row["name"] == KERNEL)
    assert rows[0]["generated_code"].strip() == kernel["kernel_code"].strip()
    speedup = rows[0]["speedup_over_eager"]
    assert speedup is None or speedup > 0  # none where a busy host leaves the time unconfirmed


RECIPE = """
name = "from-{name}"

[[rules]]
rule = "source"
sources = ["{name}"]

[[rules]]
rule = "outcome"

[splits]
train = 100
"""


def ingest_tasks(page: Page, site: LiveSite, path) -> None:
    page.goto(f"{site.url}/ingest/")
    page.get_by_label("Files").set_input_files(path)
    page.get_by_role("button", name="Ingest").click()
    expect(page.locator("#progress .state.is-good")).to_be_visible(timeout=60_000)


@dataclass(frozen=True)
class Asked:
    """A synthesis of the recorded model: of a task's first candidates one is right, one wrong, one no program."""

    name: str
    tasks: int
    per_task: int
    stored: int

    @property
    def model(self) -> str:
        return f"model-of-{self.name}"

    @property
    def candidates(self) -> int:
        return self.tasks * self.per_task


FEW = Asked("asked", tasks=3, per_task=2, stored=6)
MANY = Asked("asked-fully", tasks=50, per_task=4, stored=150)


def ask_the_model(page: Page, site: LiveSite, asked: Asked) -> None:
    page.goto(f"{site.url}/synthesize/")
    page.get_by_label("Name", exact=True).fill(asked.name)
    page.get_by_label("Model", exact=True).fill(asked.model)
    page.get_by_label("Tasks of").select_option("Recorded")
    page.get_by_label("Candidates per task").fill(str(asked.per_task))
    page.get_by_text("Sampling, pace and licence").click()
    page.get_by_label("Seed").fill("0")
    page.get_by_role("button", name="Ask").click()
    page.wait_for_url("**/synthesize/*-*/")
    done = f"{asked.candidates} of {asked.candidates} answered"
    expect(page.get_by_text(done)).to_be_visible(timeout=BUILD_AND_RUN_MS)
    expect(page.get_by_role("heading", name="One turn by hand")).to_be_visible()  # the end reloads the page
    look(page, "synthesis", asked)


def wait_for_the_verdicts(page: Page, asked: Asked) -> None:
    page.get_by_role("link", name="Follow their verification").click()
    page.wait_for_url("**/verify/?batch=*")
    done = page.get_by_text(f"{asked.stored} of {asked.stored} finished, {asked.tasks} passed").first
    expect(done).to_be_visible(timeout=BUILD_AND_RUN_MS + 10_000 * asked.stored)
    look(page, "verification", asked)


def look(page: Page, name: str, asked: Asked) -> None:
    """Check the page of many candidates as the states of the site are, at all widths, and return to its window.

    Of few it would be a second look at what tests/browser/states looks at: the same pages with about as many rows.
    """
    if asked is FEW:
        return
    size = page.viewport_size
    Judge(None).look(page, name)
    page.set_viewport_size(size)


def judge(page: Page, site: LiveSite, asked: Asked) -> None:
    page.goto(f"{site.url}/runs/")
    page.get_by_role("link", name=asked.name, exact=True).click()
    share = page.locator("tr").filter(has_text="fast_0").first
    expect(share).to_contain_text(f"{1 / asked.per_task:.3f}")
    page.wait_for_selector("html[data-drawn]")
    look(page, "run", asked)
    page.goto(f"{site.url}/leaderboard/?suite=Recorded")
    row = page.get_by_role("row").filter(has_text=asked.model)
    expect(row).to_contain_text(f"{asked.per_task} a task")
    look(page, "leaderboard", asked)


def curate(page: Page, site: LiveSite, asked: Asked) -> None:
    page.goto(f"{site.url}/curate/import/")
    page.get_by_label("Or its text").fill(RECIPE.format(name=asked.name))
    page.get_by_role("button", name="Import").click()
    page.wait_for_url(f"**/curate/from-{asked.name}/")
    expect(page.locator("#funnel header")).to_contain_text(f"{asked.tasks} rows over {asked.tasks} tasks")
    look(page, "recipe", asked)
    page.locator("#release-name").fill(asked.name)
    page.get_by_role("button", name="Freeze").click()
    page.wait_for_url(f"**/releases/{asked.name}/")


def export_as_chat(page: Page, asked: Asked, tmp_path) -> list[dict]:
    """Return the records of a chat file that the release's page makes and sends."""
    page.get_by_role("link", name="Make other files").click()
    page.get_by_role("link", name="Chat, JSON Lines").click()
    page.get_by_role("button", name="Make files").click()
    made = page.locator("a[href*='chat'][href$='train.jsonl']")
    expect(made).to_be_visible()
    look(page, "release", asked)
    with page.expect_download() as started:
        made.click()
    started.value.save_as(tmp_path / "chat.jsonl")
    return [json.loads(line) for line in (tmp_path / "chat.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("asked", [FEW, pytest.param(MANY, marks=pytest.mark.long)], ids=lambda one: one.name)
def test_from_a_models_answers_to_files_for_a_trainer(page: Page, site: LiveSite, tmp_path, asked):
    ingest_tasks(page, site, write_lines(tmp_path / "tasks.jsonl", tasks(asked.tasks)))
    ask_the_model(page, site, asked)
    wait_for_the_verdicts(page, asked)
    judge(page, site, asked)
    curate(page, site, asked)
    records = export_as_chat(page, asked, tmp_path)
    answers = [record["messages"][-1]["content"] for record in records]
    assert len(answers) == asked.tasks
    assert all("class ModelNew" in text for text in answers)
