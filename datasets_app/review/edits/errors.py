"""Why an edit was not stored, changed or accepted. Each of these means that nothing was."""

from datasets_app.models import Edit
from datasets_app.text_input.validate import FieldsError


class EditError(FieldsError):
    """Invalid fields of an edit."""


class SupersededError(EditError):
    """The base has a revision by now."""

    def __init__(self, edit: Edit) -> None:
        super().__init__(
            {
                "base": f"This sample was superseded by the revision {edit.revision_id}. Nothing was stored: "
                "copy your text, and propose it on the revision."
            }
        )


class EditClosedError(EditError):
    """The edit was accepted or withdrawn."""

    def __init__(self, edit: Edit) -> None:
        super().__init__(
            {"edit": f"{edit.closed_by} has {edit.state} this edit. Nothing was stored; propose a new one."}
        )


class EditChangedError(EditError):
    """The author sent a newer version since the page was opened."""

    def __init__(self, number: int) -> None:
        super().__init__(
            {
                "seen": f"Version {number} of this edit was sent since you opened the page. Nothing was stored: "
                "look at it, then send yours again."
            }
        )
