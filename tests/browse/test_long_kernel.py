"""Tests that a kernel of thousands of lines is loaded in parts: the first view costs only its own lines."""

import time

import pytest

from tests.browse.test_sample_page import KERNEL, TRACE
from tests.factories import make_sample, make_task

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
STATEMENTS = "".join(f"  y[{number}] = x[{number}] * 2.0f;\n" for number in range(10_000))
LONG = KERNEL.replace("  return x;\n", f"{STATEMENTS}  return x;\n")
LINES = LONG.rstrip("\n").count("\n") + 1
MOST_MS = 400  # of processor time, on a busy machine; a tenth of the cost of the whole kernel


@pytest.fixture
def sample():
    return make_sample(make_task(), kernel=LONG, reasoning=TRACE)


def page_of(client, sample, query=""):
    response = client.get(f"/samples/{sample.pk}/{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_the_first_view_has_the_first_part_and_links_to_the_others(reader, sample):
    page = page_of(reader, sample)
    assert 'id="kernel-L1000"' in page
    assert 'id="kernel-L1001"' not in page
    assert f'href="/samples/{sample.pk}/?line=9001#kernel-L9001"' in page
    assert f"{LINES:,} lines" in page


def test_the_first_view_does_not_wait_for_the_whole(reader, sample):
    page_of(reader, make_sample(make_task()))  # loads templates and lexers
    started = time.process_time()
    page_of(reader, sample)
    assert (time.process_time() - started) * 1000 < MOST_MS


def test_a_line_can_be_asked_for_by_its_number(reader, sample):
    page = page_of(reader, sample, "?line=9040")
    assert 'id="kernel-L9040"' in page
    assert 'id="kernel-L1"' not in page
    assert f'href="/samples/{sample.pk}/?line=1#kernel-L1"' in page


@pytest.mark.parametrize("line", ["0", "-4", "x", "", "99999999", "１２"])
def test_a_line_that_is_none_shows_the_part_nearest_to_it(reader, sample, line):
    assert 'class="l" id="kernel-L' in page_of(reader, sample, f"?line={line}")


def test_the_parts_make_up_the_whole(reader, sample):
    whole = page_of(reader, sample, "?whole=yes")
    assert "data-part" not in whole
    for first in range(1, LINES + 1, 1000):
        part = reader.get(f"/samples/{sample.pk}/lines/?line={first}").content.decode().strip()
        lines = part.count('<span class="l"')
        assert lines == min(1000, LINES - first + 1)
        assert f'id="kernel-L{first}"' in part
        assert part.split('<a class="ln"')[3] in whole


def test_what_reads_the_whole_kernel_follows(reader, sample):
    page = page_of(reader, sample)
    assert f'data-later="/samples/{sample.pk}/reading/"' in page
    assert "jump-kind is-kernel" not in page
    reading = reader.get(f"/samples/{sample.pk}/reading/").content.decode()
    assert 'href="#kernel-L5"' in reading
    assert '<a class="to-line" href="#kernel-L5"' in reading
    assert 'data-for="[data-later-claims]"' in reading


def test_without_a_script_the_whole_is_one_link_away(reader, sample):
    assert f'href="/samples/{sample.pk}/?whole=yes"' in page_of(reader, sample)
    whole = page_of(reader, sample, "?whole=yes")
    assert "jump-kind is-kernel" in whole
    assert "data-later" not in whole


def test_a_kernel_of_usual_length_comes_whole(reader):
    page = page_of(reader, make_sample(kernel=KERNEL, reasoning=TRACE))
    assert "data-part" not in page
    assert "data-later" not in page


def test_parts_are_for_those_who_may_read(client, sample):
    for name in ("lines", "reading"):
        assert client.get(f"/samples/{sample.pk}/{name}/").status_code == 302


def test_a_review_shows_the_whole_kernel_because_notes_may_stand_at_any_line(annotator, sample):
    page = annotator.get(f"/review/{sample.pk}/").content.decode()
    assert f'id="kernel-L{LINES}"' in page
