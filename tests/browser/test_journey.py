"""Tests the main workflow end to end on the demo pack: nothing mocked, a real kernel compiled and run."""

import hashlib
import json
import os

import pytest
from playwright.sync_api import Page, expect

from datasets_app.demo_pack import read_pack, write_jsonl
from tests.browser.conftest import PICTURES
from tests.live import LiveSite

pytestmark = [pytest.mark.browser, pytest.mark.engine]  # the longest of its run, so it begins first
KERNEL = "silu_gate_add.cpp_fused"
BUILD_AND_RUN_MS = 240_000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site without the demo pack: the workflow starts by adding it."""
    with LiveSite(tmp_path_factory.mktemp("journey"), CONCUR_DEMO="0") as live:
        live.wait_for(r"Taking work from verify", within_seconds=240)
        yield live


def ingest_the_pack(page: Page, site: LiveSite, path) -> None:
    page.get_by_role("link", name="Ingest", exact=True).first.click()
    page.get_by_label("Files").set_input_files(path)
    page.get_by_text("Source, licence and device of the claims").click()
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
    expect(page.get_by_role("button", name="undo")).to_be_visible()


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
    pack = tmp_path / "pack.jsonl"
    write_jsonl(pack)
    ingest_the_pack(page, site, pack)
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
