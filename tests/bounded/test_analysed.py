"""Tests of an analysis in a child process: its deadline interrupts any work, and the next call succeeds."""

import os
import pickle
import signal
import sys
import threading
import time

import pytest

from datasets_app.bounded import AnalysisError, analysed, analysed_ahead, cache, run
from datasets_app.bounded.cache import Results
from datasets_app.bounded.pool import BusyError, Pool
from datasets_app.syntax.kernel import Use
from tests.bounded import spinning

BACKTRACKS = "a" * 64 + "b"  # 2^64 steps
GENEROUS_SECONDS = 30.0  # on a busy machine


@pytest.fixture(autouse=True)
def in_children(settings, monkeypatch):
    settings.ANALYSIS_IN_CHILDREN = True
    monkeypatch.setattr(run, "pool", Pool())
    monkeypatch.setattr(run, "results", Results())
    assert analysed(spinning.doubled, "warm", seconds=GENEROUS_SECONDS) == "warmwarm"
    yield
    run.pool.stop()


def why(function, *arguments, seconds=GENEROUS_SECONDS):
    with pytest.raises(AnalysisError) as caught:
        analysed(function, *arguments, seconds=seconds)
    return caught.value


def test_native_code_that_holds_the_interpreters_lock_is_killed_at_the_deadline():
    started = time.monotonic()
    error = why(spinning.catastrophic, BACKTRACKS, seconds=0.3)
    assert time.monotonic() - started < 60, "the analysis itself would take hours"
    assert (error.why, error.analysis) == ("deadline", "catastrophic")
    assert str(error) == "The analysis was left out: it took longer than 0.3 s."


def test_a_child_that_got_no_processor_says_little_about_the_text(monkeypatch):
    monkeypatch.setattr(cache, "STARVED_SECONDS", 0.0)
    (child,) = run.pool.idle
    os.kill(child.process.pid, signal.SIGSTOP)  # as on a machine with more important work
    error = why(spinning.doubled, "ab", seconds=0.2)
    assert (error.why, error.is_starved) == ("deadline", True)
    assert "since the machine was busy; reload the page" in str(error)
    assert analysed(spinning.doubled, "ab", seconds=GENEROUS_SECONDS) == "abab"


def test_a_child_that_waited_for_a_processor_may_end_after_its_seconds():
    analysed(spinning.doubled, "a", seconds=GENEROUS_SECONDS)
    (child,) = run.pool.idle
    os.kill(child.process.pid, signal.SIGSTOP)
    threading.Timer(3.0, os.kill, (child.process.pid, signal.SIGCONT)).start()
    assert analysed(spinning.doubled, "ab", seconds=2.0) == "abab"
    assert run.pool.idle == [child]


def test_the_call_after_a_killed_one_works():
    why(spinning.catastrophic, BACKTRACKS, seconds=0.2)
    assert analysed(spinning.doubled, "ab", seconds=GENEROUS_SECONDS) == "abab"


def test_the_caller_works_while_an_analysis_that_was_started_ahead_runs():
    result = analysed_ahead(spinning.catastrophic, BACKTRACKS, seconds=1.0)
    assert analysed(spinning.doubled, "ab", seconds=GENEROUS_SECONDS) == "abab"
    with pytest.raises(AnalysisError) as caught:
        result()
    # On a busy host its second may end before a child has started.
    assert caught.value.why in ("deadline", "busy")


def test_an_analysis_that_was_started_ahead_is_cached_like_any_other():
    assert analysed_ahead(spinning.doubled, "ab", seconds=GENEROUS_SECONDS)() == "abab"
    run.pool.stop()
    run.pool = Pool(most=0)
    assert analysed(spinning.doubled, "ab", seconds=GENEROUS_SECONDS) == "abab"


def test_a_killed_child_is_gone():
    number = analysed(spinning.number_of_process, seconds=GENEROUS_SECONDS)
    why(spinning.catastrophic, BACKTRACKS, seconds=0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_a_text_that_failed_is_not_tried_again(monkeypatch):
    why(spinning.catastrophic, BACKTRACKS, seconds=0.4)
    monkeypatch.setattr(run.pool, "ask", None)  # a second try would need it
    assert why(spinning.catastrophic, BACKTRACKS, seconds=0.4).why == "deadline"


def test_memory_without_end_is_refused_and_the_next_call_works():
    assert why(spinning.hungry, 4_000).why == "memory"
    assert analysed(spinning.hungry, 1, seconds=GENEROUS_SECONDS) == 2**20


def test_an_analysis_that_raises_says_what():
    error = why(spinning.broken, "text")
    assert (error.why, error.detail) == ("fault", "KeyError")


def test_an_analysis_that_ends_its_process_is_told_from_one_that_raises():
    assert why(spinning.ended, "text").why == "crash"
    assert analysed(spinning.doubled, "after", seconds=GENEROUS_SECONDS) == "afterafter"


def test_results_are_cached_by_what_was_asked():
    first = analysed(spinning.number_of_process, seconds=GENEROUS_SECONDS)
    os.kill(first, signal.SIGKILL)
    assert analysed(spinning.number_of_process, seconds=GENEROUS_SECONDS) == first


def test_a_child_knows_no_secret(monkeypatch):
    monkeypatch.setenv("CONCUR_SECRET_KEY", "hidden")
    monkeypatch.setenv("DATABASE_URL", "postgresql://hidden")
    monkeypatch.setattr(run, "pool", Pool())
    names = analysed(spinning.environment, seconds=GENEROUS_SECONDS)
    assert not {"CONCUR_SECRET_KEY", "DATABASE_URL", "DJANGO_SETTINGS_MODULE"} & set(names)
    run.pool.stop()


def test_an_answer_may_hold_the_projects_dataclasses():
    assert analysed(spinning.use, seconds=GENEROUS_SECONDS) == Use("__ldg", "read-only load", (1, 2))


def test_an_answer_that_names_a_function_is_no_result_and_is_not_cached():
    error = why(spinning.not_plain_data)
    assert (error.why, str(error)) == ("foreign", "The analysis was left out: its answer was not plain data.")
    assert len(run.results.stored) == 1, "more than that of the fixture"


TAKEN_OVER = [b"", b"no pickle", pickle.dumps(3), pickle.dumps(("value", 3)), b"\x80\x05."]


@pytest.mark.parametrize("answer", TAKEN_OVER)
def test_an_answer_of_a_child_that_was_taken_over_is_no_result(monkeypatch, answer):
    monkeypatch.setattr(run.pool, "ask", lambda *limits: answer)
    assert why(spinning.doubled, "ab").why == "foreign"


def test_a_patient_call_waits_for_a_child_before_its_own_seconds_begin(monkeypatch):
    monkeypatch.setattr(run, "pool", Pool(most=1))
    analysed(spinning.doubled, "warm", seconds=GENEROUS_SECONDS)
    child = run.pool.taken(deadline=0.0)  # as a concurrent call does
    assert why(spinning.doubled, "ab", seconds=0.01).why == "busy"
    threading.Timer(1.5, run.pool.give_back, [child]).start()
    assert analysed(spinning.doubled, "ab", seconds=1.0, patience=GENEROUS_SECONDS) == "abab"
    run.pool.stop()


def test_a_process_that_cannot_start_tells_nothing_of_the_text(monkeypatch):
    monkeypatch.setattr(run, "pool", Pool())
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    error = why(spinning.doubled, "ab")
    assert (error.why, error.is_of_the_text) == ("start", False)


def test_while_one_child_is_held_another_answers():
    analysed(spinning.doubled, "one", seconds=GENEROUS_SECONDS)
    held = threading.Thread(target=why, args=(spinning.catastrophic, BACKTRACKS), kwargs={"seconds": 3.0})
    held.start()
    assert analysed(spinning.doubled, "two", seconds=GENEROUS_SECONDS) == "twotwo"
    held.join()


def test_where_all_children_are_held_a_call_ends_at_its_deadline_and_may_be_tried_again():
    pool = Pool(most=1)
    pool.ask(pickle.dumps((spinning.__name__, "doubled", ("a",), 30.0)), GENEROUS_SECONDS)
    request = pickle.dumps((spinning.__name__, "asleep", (2.0,), 30.0))
    held = threading.Thread(target=pool.ask, args=(request, GENEROUS_SECONDS))
    held.start()
    while pool.idle:
        pass
    with pytest.raises(BusyError):
        pool.ask(request, 0.2)
    held.join()
    pool.stop()


def test_a_child_ends_when_its_parent_has_gone():
    child = run.pool.idle[-1]
    child.connection.close()  # as the kernel does when the parent dies
    assert child.process.wait(timeout=20) == 0
    run.pool.idle.clear()


def test_the_cache_is_bounded_by_bytes():
    results = Results(most_bytes=400)
    texts = {b"%d" % number: os.urandom(50) for number in range(50)}
    for key, text in texts.items():
        results.put(key, text)
    assert 300 < results.size <= 400
    assert results.size == sum(map(len, results.stored.values()))
    assert results.get(b"0") is None
    assert results.get(b"49") == texts[b"49"]
    results.put(b"large", os.urandom(150))
    assert results.get(b"large") is None


def test_the_cache_holds_the_markup_of_a_page_in_a_fraction_of_its_bytes():
    results, markup = Results(), b'<span class="k">int</span> <span class="n">thread</span>\n' * 1000
    results.put(b"page", markup)
    assert results.size < len(markup) // 5
    assert results.get(b"page") == markup
