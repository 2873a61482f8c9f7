"""Tests that token counts equal those of the tokenizers library, however they are computed."""

import json
import subprocess
import sys

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import SystemCheckError
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from datasets_app import demo_pack
from datasets_app.traces import lengths
from datasets_app.traces.lengths import SETTINGS_CHECKS
from datasets_app.traces.tokenizer import counting
from datasets_app.traces.tokenizer.counting import Counter, TokenizerError, WordCounter, load

LIBRARY = Tokenizer.from_file(str(lengths.OWN))
# Characters on which the two ways of counting could differ, and plain ones between them.
NASTY = st.text(st.sampled_from(" \n\t\r\x0b\x0c\x1c\x85\u00a0\u2028ab9.;é矩́_🙂"), max_size=60)


def encoded(text: str) -> int:
    return len(LIBRARY.encode(text, add_special_tokens=False).ids)


@given(st.one_of(NASTY, st.text(max_size=200)))
def test_a_count_by_words_is_that_of_the_whole_text(text):
    assert lengths.count_tokens(text) == encoded(text)


@given(st.lists(st.one_of(NASTY, st.text(max_size=200)), max_size=4))
def test_many_texts_are_counted_alike_by_arrow(texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "ARROW_BYTES", 0)
        assert lengths.count_all(texts) == [encoded(text) for text in texts]


def test_a_page_s_text_is_counted_without_the_import_of_arrow():
    """The first page of a site that has just started waits for it, beside a self-test, for less than a second."""
    code = (
        "import sys; from datasets_app.traces import lengths;"
        "counter = lengths.load(lengths.OWN); print(counter.count(['one two\\n' * 5_000]), 'pyarrow' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[15000] False\n"


def test_the_counts_of_the_demo_pack_are_those_of_the_library():
    texts = [row[name] for row in demo_pack.read_pack() for name in ("reasoning", "kernel_code")]
    assert lengths.count_all(texts) == [encoded(text) for text in texts]


def test_an_empty_text_has_no_tokens():
    assert lengths.count_all(["", "a"]) == [0, 1]


def test_half_a_surrogate_is_counted_and_breaks_nothing():
    assert lengths.count_tokens("a \ud800 b") > 2


def test_the_table_of_words_stays_small(monkeypatch):
    monkeypatch.setattr(counting, "HELD_BYTES", 100)
    counter = WordCounter("own", LIBRARY)
    texts = [f"word{number} other{number}" for number in range(200)]
    assert [counter.count([text]) for text in texts] == [[encoded(text)] for text in texts]
    assert len(counter.cached) < 50


def test_the_name_says_which_file_counted():
    label, _, digest = lengths.tokenizer_name().partition("@")
    assert label == "workbench-bpe-16k"
    assert len(digest) == 8


def test_the_file_that_ships_is_of_reasonable_size_and_of_the_cut_that_is_counted_by_words():
    assert lengths.OWN.stat().st_size < 1_000_000
    assert isinstance(lengths.counter(), WordCounter)
    assert lengths.counter().vocabulary == 16_384


def other_tokenizer(path):
    """A tokenizer that splits differently, changes the text and has a special token, like published ones."""
    described = json.loads(lengths.OWN.read_text())
    described["pre_tokenizer"] = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    described["truncation"] = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    path.parent.mkdir()
    path.write_text(json.dumps(described))
    return path


def test_any_tokenizer_by_setting_counts_whole_texts_under_its_own_name(tmp_path, settings):
    settings.TOKENIZER = str(other_tokenizer(tmp_path / "some-model-7b" / "tokenizer.json"))
    assert type(lengths.counter()) is Counter
    assert lengths.tokenizer_name().startswith("some-model-7b@")
    assert lengths.count_tokens("Fuse the loads of one warp, then store.") > 4


@pytest.mark.parametrize("text", [None, "", "{}", "no json", '{"model": {}}'])
def test_a_file_that_is_no_tokenizer_is_refused_by_name(tmp_path, text):
    path = tmp_path / "broken.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(TokenizerError, match=r"broken\.json"):
        load(path)


def test_a_setting_that_names_no_tokenizer_stops_the_site_at_its_start(tmp_path, settings):
    settings.TOKENIZER = str(tmp_path / "missing.json")
    with pytest.raises(SystemCheckError, match=r"CONCUR_TOKENIZER: .*missing\.json cannot be read"):
        call_command("check")
    with pytest.raises(SystemCheckError, match=r"CONCUR_TOKENIZER"):
        call_command("ingest", "rows.jsonl", skip_checks=False)


def test_the_sites_commands_check_settings_and_leave_the_code_to_the_tests():
    """Checking the code loads all pages: half of the time that a command takes to start."""
    own = [name for name, app in get_commands().items() if app in ("datasets_app", "eval_app", "concur_site")]
    checks = {name: load_command_class(get_commands()[name], name).requires_system_checks for name in own}
    assert {tag for tags in checks.values() for tag in tags} == {SETTINGS_CHECKS}


@pytest.mark.parametrize("unit", ["a", "a_", "a b ", "\n", " ", "a.", "\n\n ab"])
def test_a_long_text_is_encoded_in_pieces_and_counted_alike(monkeypatch, unit):
    monkeypatch.setattr(counting, "PIECE_CHARS", 1_000)
    monkeypatch.setattr(counting, "LONGEST_RUN", 50)
    sizes = []
    encode = Counter.encoded
    monkeypatch.setattr(
        Counter, "encoded", lambda self, texts: sizes.append(sum(map(len, texts))) or encode(self, texts)
    )
    text = unit * 10_000
    for counter in (load(lengths.OWN), Counter("plain", LIBRARY)):
        found = counter.count([text])[0]
        assert abs(found - encoded(text)) <= len(text) / 1_000 + 1  # one token per cut
    assert max(sizes) < 2_000


def test_a_text_is_cut_before_a_space_or_a_line_end(monkeypatch):
    monkeypatch.setattr(counting, "PIECE_CHARS", 8)
    assert list(counting.pieces("abc def\nghijklmnopq r")) == ["abc def", "\nghijklm", "nopq r"]
