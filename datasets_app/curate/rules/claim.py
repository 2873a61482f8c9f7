"""How far a source's claim holds: the measured speedup as a share of the claimed one."""

from datasets_app.curate.parameters import Number
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule, within


class ClaimHolds(RowRule):
    name = "claim_holds"
    title = "Measured over claimed speedup"
    explains = (
        "Keeps kernels that passed on the recipe's device, and whose measured speedup divided by the claimed one lies "
        "within these bounds, both ends included. A claim may be about another device."
    )
    parameters = (
        Number(name="minimum", title="At least", default=0.9, minimum=0, optional=True, unit="×"),
        Number(name="maximum", title="At most", default=None, minimum=0, optional=True, unit="×"),
    )

    def sentence(self) -> str:
        return f"Measured over claimed speedup {within(self)}"

    def refuses(self, row: Row) -> str:
        ratio = row.claim_ratio()
        if ratio is None:
            return "no claim, or not measured"
        if self["minimum"] is not None and ratio < self["minimum"]:
            return "measured less than claimed"
        return "measured more than allowed" if self["maximum"] is not None and ratio > self["maximum"] else ""
