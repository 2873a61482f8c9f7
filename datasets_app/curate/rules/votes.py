"""Rules by the reviews behind a verdict: how many reviewers voted, and how many of them agree with it."""

from datasets_app.curate.parameters import Integer, Number
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule

NO_VOTES = "nobody has voted on it"


class VotesAtLeast(RowRule):
    name = "votes_at_least"
    title = "Number of votes"
    phrase = "At least {minimum}"
    explains = (
        "Keeps samples that at least this many reviewers have reviewed. Of each reviewer the newest standing review "
        "counts; adjudications and withdrawn reviews do not."
    )
    parameters = (
        Integer(name="minimum", title="Reviewers, at least", default=2, minimum=1, maximum=99, unit=" votes"),
    )

    def refuses(self, row: Row) -> str:
        if not row.votes:
            return NO_VOTES
        return "" if row.votes >= self["minimum"] else "too few votes"


class VotesAgree(RowRule):
    name = "votes_agree"
    title = "Votes that agree with the verdict"
    phrase = "At least {percent} of the votes agree with the verdict"
    explains = (
        "Keeps samples of whose votes at least this share agrees with the verdict, however it was decided. No vote "
        "agrees with a contested one."
    )
    parameters = (
        Number(name="percent", title="Share, at least", default=100.0, minimum=0, maximum=100, unit=" %"),
    )

    def refuses(self, row: Row) -> str:
        if row.agreement is None:
            return NO_VOTES
        return "" if row.agreement * 100 >= self["percent"] - 1e-9 else "too few votes agree with its verdict"
