"""Why no file was made. Each of these means that nothing was queued or written."""


class ExportError(ValueError):
    """An export that cannot be made; the message says what to do."""


class OptionsError(ExportError):
    """Invalid options; `faults` maps the name of an option to a sentence."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


class PushError(ValueError):
    """A push that was refused or that failed; the message says what to do, and what was stored if anything was."""
