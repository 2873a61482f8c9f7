"""Tests that the first screen of a sample says why it failed, for every outcome that a verification can have."""

import pytest

from datasets_app.demo_pack import recorded
from datasets_app.models import Sample
from datasets_app.models.outcome import FAULTS, UNDECIDED
from tests.browser.states import cast
from tests.verify import reports

pytestmark = pytest.mark.browser
SCREENS = {1440: 900, 390: 844}
# Details as the engine writes them; where it quotes a log, the line that matters is not the first one.
DETAILS = {
    "wrong_structure": "the output has the shape (64, 32), not (64, 64)",
    "nondeterministic": "two calls with equal inputs differ in 12 of 4096 elements",
    "build_error": f"ninja: build stopped: subcommand failed\n{cast.ERROR}1 error detected",
    "build_timeout": "the build took longer than 300 s",
    "load_error": "ImportError: undefined symbol: _Z7forwardv",
    "runtime_error": "RuntimeError: x must be contiguous",
    "illegal_memory": "CUDA error: an illegal memory access was encountered",
    "out_of_memory": "CUDA out of memory: tried to allocate 96.00 GiB",
    "timeout": "a call took longer than 30 s",
    "invalid_reference": "the reference raised ValueError: expected 2 inputs",
    "unsupported": "complex outputs are not compared",
    "infra_error": "three workers were lost while it ran",
}
SEEN = """element => {
    const box = element.getBoundingClientRect(), clipped = element.scrollHeight - element.clientHeight > 1;
    return !clipped && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
}"""


def failures() -> list[tuple[str, dict, str]]:
    """Return an outcome, a report and the words that explain it: the pack's recordings, and one of each other.

    Those that decide nothing come first, because they displace no other.
    """
    rows = [
        (one.report["outcome"], one.report, one.report["detail"])
        for one in recorded.read()
        if one.report["outcome"] != "passed"
    ]
    rows += [
        (
            outcome,
            reports.report("", outcome, detail=detail),
            cast.ERROR if outcome == "build_error" else detail,
        )
        for outcome, detail in DETAILS.items()
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
        for width, height in SCREENS.items():
            page = visit(sample.get_absolute_url(), width=width)
            page.set_viewport_size({"width": width, "height": height})
            why = page.locator(".sample-head .sample-reason")
            if not why.count() or words.strip() not in why.inner_text() or not why.evaluate(SEEN):
                unseen.append(f"{outcome} at {width} px: {why.all_inner_texts()}")
    assert not unseen, "\n".join(unseen)
