"""Why a note or an answer was not stored. Each of these means that nothing was."""

from datasets_app.text_input.validate import FieldsError


class NoteError(FieldsError):
    """Invalid fields of a note."""


class TextReplacedError(NoteError):
    """The stored text is not the one in which the span was chosen."""

    def __init__(self, text: str) -> None:
        sentence = (
            f"The {text} was replaced since you chose these lines: look at it again, and choose them anew."
        )
        super().__init__({"lines": sentence})


class NoteClosedError(NoteError):
    """The note, or the answer, was withdrawn meanwhile."""

    def __init__(self, what: str, by: str, reason: str) -> None:
        super().__init__({"note": f"{by} withdrew this {what}: “{reason}”. Nothing was stored."})


class NoteEditedError(NoteError):
    """The text was edited, on another page, since this one was opened."""

    def __init__(self, now: str, edit_count: int) -> None:
        sentence = "This text was edited since you opened it, perhaps on another page of yours. It now says: "
        super().__init__({"text": f"{sentence}“{now}”. Send yours again to replace it; both are kept."})
        self.edit_count = edit_count
