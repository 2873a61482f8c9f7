"""A speedup that holds at the lower end of its interval."""

from datasets_app.curate.parameters import Number
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule


class SpeedupAtLeast(RowRule):
    name = "speedup_low"
    title = "Lower end of the speedup"
    phrase = "Lower end of the measured speedup at least {minimum}"
    explains = (
        "Keeps kernels whose measured speedup is at least this even at the lower end of its interval: of the run, or "
        "of all like runs on the device where there are several."
    )
    parameters = (Number(name="minimum", title="At least", default=1.0, minimum=0, unit="×"),)

    def refuses(self, row: Row) -> str:
        if row.outcome != "passed" or row.speedup_low is None:
            return "no interval of a measured speedup"
        return "" if row.speedup_low >= self["minimum"] else "lower end is below that"
