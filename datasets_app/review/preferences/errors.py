"""Why a preference was not stored. Each of these means that nothing was."""

from datasets_app.models import Preference, PreferenceWithdrawal
from datasets_app.text_input.validate import FieldsError


class PreferenceError(FieldsError):
    """Invalid fields of a preference."""


class AlreadyComparedError(PreferenceError):
    """The reviewer has compared these two, perhaps on another page."""

    def __init__(self, stored: Preference) -> None:
        sentence = (
            "You have compared these two samples already, perhaps on another page. "
            "Take that choice back first; both stay in the history."
        )
        super().__init__({"choice": sentence})
        self.stored = stored


class PreferenceWithdrawnError(PreferenceError):
    """The preference was withdrawn before, by somebody else or for another reason."""

    def __init__(self, withdrawal: PreferenceWithdrawal) -> None:
        by, reason = withdrawal.withdrawn_by, withdrawal.reason
        super().__init__({"preference": f"{by} withdrew this preference: “{reason}”. Nothing was stored."})
