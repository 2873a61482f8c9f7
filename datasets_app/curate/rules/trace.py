"""The reasoning trace: whether there is one, and how long it is."""

from datasets_app.curate.parameters import Integer
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule, within


class HasTrace(RowRule):
    name = "has_trace"
    title = "Has a reasoning trace"
    explains = "Drops samples that came without one."

    def refuses(self, row: Row) -> str:
        return "no trace" if row.trace_tokens is None else ""


class TraceTokens(RowRule):
    name = "trace_tokens"
    title = "Trace length"
    explains = "Keeps traces within these lengths, both ends included. A sample without a trace is dropped."
    parameters = (
        Integer(name="minimum", title="At least", default=None, minimum=0, optional=True, unit=" tokens"),
        Integer(name="maximum", title="At most", default=8500, minimum=0, optional=True, unit=" tokens"),
    )

    def sentence(self) -> str:
        return "Trace length " + within(self)

    def refuses(self, row: Row) -> str:
        tokens = row.trace_tokens
        if tokens is None:
            return "no trace"
        if self["minimum"] is not None and tokens < self["minimum"]:
            return "trace too short"
        return "trace too long" if self["maximum"] is not None and tokens > self["maximum"] else ""
