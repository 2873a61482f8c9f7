"""A rule by the share of a program's GPU time that is spent in its own kernels."""

from datasets_app.curate.parameters import Number
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.curate.rules.evidence import UNDECIDED


class CustomKernelShare(RowRule):
    name = "custom_kernel_share"
    title = "Custom-kernel share"
    phrase = "At least {minimum} of the GPU time in its own kernels"
    explains = (
        "Keeps samples that spend at least this share of a call's GPU time in kernels built from their own source, "
        "rather than in kernels of libraries. torch's profiler lists the kernels in the sample's process, after the "
        "verdict; the engine compares their names with what it built. Samples without the figure are dropped: those "
        "that did not pass, ran on a CPU, or were verified under a profile that traces no kernels."
    )
    parameters = (Number(name="minimum", title="At least", default=50, minimum=0, maximum=100, unit=" %"),)
    needs = frozenset({"custom_kernel_share"})

    def refuses(self, row: Row) -> str:
        if not row.outcome:
            return UNDECIDED
        if row.custom_kernel_share is None:
            return "its kernels were not traced"
        return "" if row.custom_kernel_share * 100 >= self["minimum"] else "too much time in other kernels"
