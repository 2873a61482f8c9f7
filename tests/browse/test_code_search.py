"""Tests of substring search in code: `code:` and `icode:` find exactly the matching kernels and programs."""

import random
import string
import time

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.browse.list import facets
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.browse.query import sets as sets_module
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import read
from datasets_app.db.text_index import Wanted, index, numbers_holding, sqlite
from datasets_app.db.text_index.code import postgres_grams, sqlite_match
from datasets_app.models import SampleBody, TaskBody
from tests.browse.indexes_made_anew import make_indexes_anew
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db
BUSY_SECONDS = 4.0  # 10 s and more without the bound, under 1 s with it on an idle machine
SHUFFLE = "v += __shfl_xor_sync(0xffffffff, v, 16);\nfloat4 *p = (float4 *)x; // Größe µ 🎉"
PROGRAM = 'class Model: x = torch.relu(x)  # "a" AND (b) 100% {}'


@pytest.fixture
def shuffle():
    make_sample(kernel="v += shfl_xor __sync(); float 4 * p", reasoning="float4 * and __shfl_xor_sync")
    return make_sample(kernel=SHUFFLE)


def found(line):
    return set(Sets(parse_query(line), read()).rows())


@pytest.mark.parametrize(
    "line",
    [
        "code:__shfl_xor",
        'code:"float4 *"',
        "code:r_s",
        'code:"16);\nfloat4"',
        "code:Größe",
        'code:"µ 🎉"',
        'code:"float4 *" code:_xor_sync',
        "icode:__SHFL_xor",
        'icode:"P = (FLOAT4"',
    ],
)
def test_any_part_of_a_kernel_finds_it_and_no_other(shuffle, line):
    assert found(line) == set(parse_query(line).queryset()) == {shuffle}


@pytest.mark.parametrize(
    "line", ["code:__SHFL", "code:GRÖSSE", "icode:GRÖSSE", "code:sync(0y", "code:float4*"]
)
def test_what_no_code_holds_as_it_stands_is_not_found(shuffle, line):
    assert found(line) == set(parse_query(line).queryset()) == set()


def test_of_several_parts_each_must_be_there(shuffle):
    other = make_sample(kernel="__shfl_xor_sync alone")
    assert found("code:__shfl_xor_sync") == {shuffle, other}
    assert found('code:__shfl_xor_sync code:"float4 *"') == {shuffle}


def test_a_program_is_found_through_its_samples_also_when_it_changes():
    task = make_task(PROGRAM)
    samples = {make_sample(task), make_sample(task)}
    assert found(r'code:"# \"a\" AND (b) 100% {}"') == samples
    TaskBody.objects.filter(task=task).update(pytorch_code="torch.sigmoid(fresh)")
    assert found("code:sigmoid(fr") == samples
    assert found("code:torch.relu(x)") == set()


def test_a_changed_kernel_is_found_by_its_new_code_only(shuffle):
    SampleBody.objects.filter(sample=shuffle).update(kernel_code="atomicAdd(&sum, v)")
    assert found("code:cAdd(&s") == {shuffle}
    assert found("code:__shfl_xor_sync") == set()


def test_a_trace_that_changes_leaves_the_code_findable(shuffle):
    SampleBody.objects.filter(sample=shuffle).update(reasoning="other words")
    assert found("code:__shfl_xor_sync") == {shuffle}


def test_a_deleted_text_is_not_found(shuffle):
    SampleBody.objects.filter(sample=shuffle).delete()
    assert found("code:__shfl_xor_sync") == set()


@pytest.mark.parametrize("few", [sets_module.FEW, -1], ids=["named", "walked"])
def test_counts_and_both_ways_of_reading_rows_agree(shuffle, few, monkeypatch):
    monkeypatch.setattr(sets_module, "FEW", few)
    for line in ["code:__shfl_xor", "icode:FLOAT", 'code:torch.relu "coalesced loads"']:
        chosen = parse_query(line)
        assert facets.count(chosen).total == len(found(line)) == chosen.queryset().count() > 0


def test_a_search_that_runs_out_of_time_says_that_it_is_not_all(monkeypatch, reader):
    for number in range(5):
        make_sample(kernel=f"__global__ kernel_{number}")
    monkeypatch.setattr(sets_module, "HASTY", sets_module.Bounds(3, 9))
    assert facets.count(parse_query("code:__global__")).at_least
    page = reader.get("/browse/?code=__global__").content.decode()
    assert "more than" in page


@pytest.mark.parametrize(("line", "place"), [("code:ab", 6), ('outcome:passed code:"a"', 21)])
def test_a_part_that_is_too_short_is_pointed_at_with_what_to_do(line, place):
    with pytest.raises(BrowseError, match=f"At character {place}: code needs at least 3 characters"):
        parse_query(line)


def test_the_words_the_chip_and_the_typed_form_say_it_and_read_back():
    chosen = BrowseFilter.from_params({"code": ["float4 *", '"x\\n"'], "icode": "__SHFL"})
    assert parse_query(chosen.typed()) == chosen
    assert chosen.words() == (
        'All samples whose code contains “float4 *” and “"x\\n"” whose code contains “__SHFL” in any case'
    )


def test_the_form_beside_the_list_adds_a_part_and_keeps_the_filter(reader, shuffle):
    page = reader.get("/browse/?language=python&code=float4").content.decode()
    form = page[page.index('class="facet code-search"') :]
    form = form[: form.index("</form>")]
    assert 'name="language" value="python"' in form
    assert 'type="hidden" name="code" value="float4"' in form
    assert 'name="icode"' in form
    assert f"/samples/{shuffle.pk}/" in page
    assert (
        f"/samples/{shuffle.pk}/"
        in reader.get("/browse/?language=python&code=float4&icode=").content.decode()
    )


def test_the_api_takes_the_same_names(reader, shuffle):
    rows = reader.get("/api/v1/samples/", {"code": "float4 *"}).json()["results"]
    assert [row["id"] for row in rows] == [str(shuffle.pk)]
    refused = reader.get("/api/v1/samples/", {"code": "x"})
    assert refused.status_code == 400
    assert "3 characters" in refused.json()["errors"]["code"][0]


def test_an_index_built_anew_finds_the_same(shuffle):
    index.rebuild(connection)
    assert set(parse_query("code:__shfl_xor_sync").queryset()) == {shuffle}
    assert set(parse_query("code:torch.relu").queryset()) >= {shuffle}


LETTERS = st.text(st.sampled_from("abAB \"'\\%_*(){}:^-+\n\téÉßıİKµ🎉"), max_size=12)


@settings(max_examples=150)
@given(LETTERS, LETTERS, LETTERS)
def test_whatever_is_in_a_code_each_part_of_it_is_found_and_no_other(before, part, after):
    part = f"a{part}b"[:10].ljust(3, "x")
    make_sample(kernel=f"#{before}{part}{after}")
    for any_case in (False, True):
        wanted = Wanted(part, any_case)
        numbers, complete = numbers_holding(wanted, 1000, 10)
        kernels = SampleBody.objects.values_list("kernel_code", "sample__task__body__pytorch_code")
        held = [1 for texts in kernels if any(holds(text, wanted) for text in texts)]
        assert complete
        assert len(set(numbers)) == len(held) > 0


def holds(text, wanted):
    lowered = "".join(c.lower() if c.isascii() else c for c in text)
    return wanted.needle in (lowered if wanted.any_case else text)


def test_a_long_part_is_asked_for_by_a_few_of_its_trigrams():
    wanted = Wanted("abcdefghij" * 20)
    assert sqlite_match(wanted).count(" AND ") < 24
    assert len(postgres_grams(wanted)) <= 24


@pytest.mark.django_db(transaction=True)
def test_an_index_that_is_dropped_and_made_again_finds_what_was_there():
    sample = make_sample(kernel="survives_migration(1)")
    make_indexes_anew()
    assert found("code:ives_migration(") == {sample}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="on PostgreSQL no other writer waits for an index")
def test_a_long_kernel_is_found_by_its_first_part():
    sample = make_sample(kernel=f"early_part = 1 # {'x' * sqlite.CODE_CHARS} late_part")
    assert [found("code:early_part"), found("code:late_part")] == [{sample}, set()]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="on PostgreSQL no other writer waits for an index")
def test_letters_by_chance_hold_the_write_lock_for_a_bounded_time():
    some = random.Random(1)
    code = "".join(some.choices(string.printable[:94], k=1_900_000))
    started = time.process_time()
    make_sample(kernel=code)
    assert time.process_time() - started < BUSY_SECONDS
