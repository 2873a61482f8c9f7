"""What can go wrong, by who can mend it."""


class SynthesisError(Exception):
    """The synthesis cannot begin or go on. The message is written for a person."""


class AnswerError(Exception):
    """An answer holds no kernel that could be stored; `reason` names why."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class TryAgainError(Exception):
    """A request failed in a way that may pass; `reason` names it, and the endpoint may say how long to wait."""

    def __init__(self, reason: str, detail: str, wait_s: float | None = None) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.wait_s = reason, detail, wait_s


class RequestRefusedError(Exception):
    """The endpoint does not take this request, and will not: a prompt that is too long, for example."""


class EndpointError(SynthesisError):
    """The endpoint takes no request at all: its key, its model or its address is wrong."""
