"""Tests that the first screen of a sample says why it failed, for every outcome that a verification can have."""

import pytest

from datasets_app.demo_pack import recorded
from datasets_app.models import Sample
from datasets_app.models.outcome import FAULTS, UNDECIDED
from tests.browser.states import cast
from tests.verify import reports

pytestmark = pytest.mark.browser
SCREENS = {1440: 900, 1366: 768, 390: 844}
ENDED = "the candidate's process"
LOST = "Given up after 3 workers stopped answering while they ran it."
# Details as the engine and the site write them, with the words of each that explain; where a detail quotes a log, the
# line that matters is not its first one.
DETAILS = [
    ("wrong_structure", "3 plain values returned; 2 expected", ""),
    (
        "nondeterministic",
        "3 of 64 elements differ in trial natural; the same inputs gave a correct output afterwards",
        "",
    ),
    (
        "build_error",
        f"ninja: build stopped: subcommand failed\n{cast.ERROR}1 error detected",
        cast.ERROR.partition(": ")[2],
    ),
    ("build_timeout", "the build took longer than 300 s and was killed", ""),
    (
        "load_error",
        "ImportError: undefined symbol: _Z7forwardv (candidate line 31: module = load_inline(",
        "",
    ),
    (
        "load_error",
        f"{ENDED} exited with status 1 while loading; end of its log: a\nKeyError: 'x'",
        "KeyError: 'x'",
    ),
    ("runtime_error", "RuntimeError: x must be contiguous (candidate line 40: return module.forward(x))", ""),
    ("runtime_error", f"{ENDED} exited with status 3 during a call; end of its log: b\nabort()", "abort()"),
    ("illegal_memory", f"{ENDED} was ended by SIGSEGV during a call", ""),
    ("out_of_memory", f"{ENDED} was ended by SIGKILL during a call", ""),
    ("timeout", "a call took longer than 30 s", ""),
    ("timeout", "loading the candidate took too long", ""),
    ("timeout", "the job exceeded its total time limit", ""),
    ("invalid_reference", "the reference was not ready in time", ""),
    ("unsupported", "NeedsCudaError: the candidate uses CUDA, and this lane runs on the CPU", ""),
    ("infra_error", f"{LOST}\nattempt 1: gpu-1, silent since 02:10", LOST),
]
SEEN = """element => {
    const box = element.getBoundingClientRect(), clipped = element.scrollHeight - element.clientHeight > 1;
    return !clipped && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
}"""


def failures() -> list[tuple[str, dict, str]]:
    """Return an outcome, a report and the words that explain it: the pack's recordings, and some of each other.

    Those that decide nothing come first, because they displace no other.
    """
    rows = [
        (one.report["outcome"], one.report, one.report["detail"])
        for one in recorded.read()
        if one.report["outcome"] != "passed"
    ]
    rows += [
        (outcome, reports.report("", outcome, detail=detail), words or detail)
        for outcome, detail, words in DETAILS
    ]
    promise = reports.broken_promise("")
    rows.append(("broken_promise", {**promise, "detail": ""}, promise["findings"][0]["detail"]))
    return sorted(rows, key=lambda row: row[0] not in UNDECIDED)


def test_every_failing_outcome_has_an_example():
    assert {outcome for outcome, _, _ in failures()} == {*FAULTS, *UNDECIDED}


def test_the_first_screen_says_why_it_failed(site, visit):
    sample = Sample.objects.filter(source__name="Demo pack", verifications=None).first()
    unseen = []
    for outcome, report, words in failures():
        cast.verify(sample, {**report, "id": str(sample.pk)})
        page = visit(sample.get_absolute_url())
        for width, height in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            why = page.locator(".sample-head .sample-reason")
            if not why.count() or words.strip() not in why.inner_text() or not why.evaluate(SEEN):
                unseen.append(f"{outcome} at {width} px: {why.all_inner_texts()}")
    assert not unseen, "\n".join(unseen)
