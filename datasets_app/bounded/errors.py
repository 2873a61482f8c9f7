"""The reasons why an analysis gave no result."""

from __future__ import annotations

DEADLINE, MEMORY, CRASH, FAULT = "deadline", "memory", "crash", "fault"
BUSY, START, FOREIGN = "busy", "start", "foreign"
STARVED = "it did not end within {seconds:g} s, since the machine was busy; reload the page in half a minute"
SENTENCES = {
    DEADLINE: "it took longer than {seconds:g} s",
    MEMORY: "it needed more memory than the site allows",
    CRASH: "it ended its process",
    BUSY: "other texts were being analysed; reload the page to try again",
    START: "its process could not be started; reload the page to try again",
    FAULT: "it raised {detail}",
    FOREIGN: "its answer was not plain data",
}


class AnalysisError(Exception):
    """An analysis without a result. `analysis` is the function's name; `why` is one of the constants above; the message
    is for users."""

    def __init__(
        self, analysis: str, why: str, seconds: float = 0.0, detail: str = "", *, is_starved: bool = False
    ) -> None:
        self.analysis, self.why, self.seconds, self.detail = analysis, why, seconds, detail
        self.is_starved = is_starved  # the machine was busy: soon the same text may succeed
        reason = (STARVED if is_starved else SENTENCES[why]).format(seconds=seconds, detail=detail)
        super().__init__(f"The analysis was left out: {reason}.")

    @property
    def is_of_the_text(self) -> bool:
        """Return whether the same text would fail again."""
        return self.why not in (BUSY, START)

    def again(self) -> AnalysisError:
        """Return the same error, to be raised once more."""
        return AnalysisError(self.analysis, self.why, self.seconds, self.detail, is_starved=self.is_starved)
