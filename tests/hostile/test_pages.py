"""Tests that every page shows a hostile text, answers soon and has a bounded size."""

import re
import time
import urllib.parse
from html import unescape

import pytest

from datasets_app.bounded import analysed, run
from datasets_app.bounded.cache import Results
from datasets_app.bounded.pool import Pool
from datasets_app.models import Sample
from tests.bounded import spinning
from tests.factories import make_sample, make_task
from tests.hostile.pages import FIRST, LARGEST_PAGE_BYTES, addresses, rows_of
from tests.hostile.programs import MODEL, lines
from tests.hostile.texts import HostileText, whole_corpus
from tests.ingest.conftest import ingest_file, write_lines

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
OWN_SECONDS = 4.0  # of this process's processor time, which reads up to twice as much on a busy machine
ANSWER_SECONDS = 2.0
PART_LINK = re.compile(r'class="part(?:-far)?" href="([^"]+)"')
LINES = 12_000  # of a long text: more, and of more characters, than a part of a page
BUSY = 30  # slowdown of a machine that runs other programs


def marked(entry: HostileText):
    return pytest.param(entry, id=str(entry), marks=() if str(entry) in FIRST else (pytest.mark.long,))


@pytest.fixture(scope="module")
def pool():
    pool = Pool()
    yield pool
    pool.stop()


@pytest.fixture(autouse=True)
def in_children(pool, settings, monkeypatch):
    settings.ANALYSIS_IN_CHILDREN = True
    monkeypatch.setattr(run, "pool", pool)
    monkeypatch.setattr(run, "results", Results())
    analysed(spinning.doubled, "warm", seconds=30.0)  # a test before may have lost the process


def stored(entry: HostileText, folder) -> list[Sample]:
    """Ingest the text and a second sample as a site does; return fewer samples if one was refused."""
    rows = rows_of(entry)
    done = ingest_file(write_lines(folder / "rows.jsonl", rows))
    assert (done.rows, done.new_samples + done.refused) == (2, 2), done.error
    return list(Sample.objects.order_by("pk"))


@pytest.mark.parametrize("entry", [marked(entry) for entry in whole_corpus()])
def test_every_page_answers_within_its_bounds(entry, annotator, tmp_path):
    samples = stored(entry, tmp_path)
    if len(samples) < 2:  # both were refused, or the first one, which a slow machine took too long to read
        pytest.skip("the ingest refuses it, with its reason, and no page shows it")
    faults = [
        fault
        for url in addresses(samples[0].pk, samples[1].pk, samples[0].task_id)
        if (fault := fault_of(annotator, url))
    ]
    pasted = {"pasted": entry.make()[:900_000], "of": entry.column}
    faults.append(fault_of(annotator, f"/samples/{samples[0].pk}/against-pasted/", pasted))
    assert not list(filter(None, faults))


def fault_of(client, url: str, data: dict | None = None) -> str:
    started, worked = time.monotonic(), time.process_time()
    response = client.post(url, data) if data else client.get(url)
    took, own = time.monotonic() - started, time.process_time() - worked
    size = len(response.content)
    bad = [
        response.status_code not in (200, 404) and f"status {response.status_code}",
        size > LARGEST_PAGE_BYTES and "/api/" not in url and f"{size:,} bytes",
        own > OWN_SECONDS and f"{own:.2f} s of this process",
        took > BUSY * ANSWER_SECONDS and f"{took:.2f} s",
    ]
    return " ".join([url[-60:], *filter(None, bad)]) if any(bad) else ""


def test_a_text_that_is_not_analysed_is_shown_and_the_page_says_why(reader, tmp_path):
    entry = next(one for one in whole_corpus() if one.name == "template_angles_never_closed")
    sample, _ = stored(entry, tmp_path)
    page = unescape(reader.get(f"/samples/{sample.pk}/").content.decode())
    assert "takes too long to parse" in page or "The analysis was left out" in page
    assert (
        "x = f<a<a<a" in "".join(part.split(">")[-1] for part in page.split("</span>"))
        or "more characters" in page
    )


def test_a_text_whose_analysis_reaches_its_deadline_is_shown_plain_with_the_reason(
    reader, tmp_path, monkeypatch
):
    entry = next(one for one in whole_corpus() if str(one) == "kernel-nested_blocks")
    sample, _ = stored(entry, tmp_path)

    def never_in_time(request, seconds, patience):
        raise TimeoutError

    monkeypatch.setattr(run.pool, "ask", never_in_time)
    page = unescape(reader.get(f"/samples/{sample.pk}/").content.decode())
    assert (
        page.count("The analysis was left out: it took longer than 0.8 s. The text is shown without it.") == 3
    )
    assert "{int i=i+1;{int i=i+1;" in page


def test_a_long_line_is_cut_and_the_page_leads_to_the_whole(reader, tmp_path):
    entry = next(one for one in whole_corpus() if str(one) == "kernel-one_line")
    sample, _ = stored(entry, tmp_path)
    page = reader.get(f"/samples/{sample.pk}/").content.decode()
    assert "more characters" in page
    raw = f"/samples/{sample.pk}/text/kernel/"
    assert raw in page
    assert reader.get(raw).content.decode() == sample.body.kernel_code


def test_a_stored_program_of_900_000_lines_has_pages_of_bounded_size(reader):
    """An ingest refuses it now; a site may hold one from before."""
    sample = make_sample(make_task(program=lines()))
    page = sample.get_absolute_url()
    urls = [page, f"{page}?program_line=900000", f"{page}?against=reference", f"/tasks/{sample.task_id}/"]
    assert [fault for url in urls if (fault := fault_of(reader, url))] == []


@pytest.mark.parametrize("column", ["program", "trace"])
def test_a_long_text_goes_on_where_the_page_links_to(reader, tmp_path, column):
    entry = HostileText(
        "lines",
        column,
        lambda: (MODEL if column == "program" else "") + "".join(f"n{i} = {i}\n" for i in range(LINES)),
    )
    sample, _ = stored(entry, tmp_path)
    page, seen = reader.get(f"/samples/{sample.pk}/").content.decode(), 0
    assert f"n{LINES - 1} " not in page
    param = "program_line=" if column == "program" else "segment="
    for _ in range(40):
        seen += page.count(f"n{LINES - 1} ")
        ahead = [unescape(one) for one in PART_LINK.findall(page) if f"?{param}" in unescape(one)]
        if seen or not ahead:
            break
        page = reader.get(urllib.parse.urldefrag(ahead[-1])[0]).content.decode()
    assert seen
