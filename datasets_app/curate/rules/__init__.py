"""The rules that recipes are made of, in the order in which the page offers them.

To add one: write a module here with a subclass of RowRule (judges a row by itself), TaskRule (the
rows of one task together) or Rule (all rows); give it a name, a title, an explanation and its parameters;
add it to RULES. Its form, its validation, its place in the API and its line in the funnel come from that.
A rule that needs a fact that Row does not hold adds a field there and its column in curate/store.py. Rules see the
evidence on one device, the recipe's: none needs to ask which.
Add a test with a handful of rows worked out by hand in tests/curate/.
"""

from datasets_app.curate.rule import Rule
from datasets_app.curate.rules.age import VerifiedSince
from datasets_app.curate.rules.agreement import RunsAgree
from datasets_app.curate.rules.claim import ClaimHolds
from datasets_app.curate.rules.criteria import FastestAbove, FastestIsShortest, SingleOperator
from datasets_app.curate.rules.custom_kernels import CustomKernelShare
from datasets_app.curate.rules.decontaminate import Decontaminate
from datasets_app.curate.rules.difficulty import Difficulty
from datasets_app.curate.rules.duplicates import Duplicates
from datasets_app.curate.rules.evidence import Findings, Outcome, Verdict
from datasets_app.curate.rules.finding_code import FindingCode
from datasets_app.curate.rules.groups import Balance, CapEach
from datasets_app.curate.rules.held_out import HeldOut
from datasets_app.curate.rules.interval import SpeedupAtLeast
from datasets_app.curate.rules.near_duplicates import LikeJudged, NearDuplicates
from datasets_app.curate.rules.profile import ProfileAtLeast
from datasets_app.curate.rules.provenance import Generator, Language, Licence, Source
from datasets_app.curate.rules.random_per_task import RandomPerTask
from datasets_app.curate.rules.size import BalanceKinds, BestPerTask, RandomSample
from datasets_app.curate.rules.speed import MinCorrect, Speedup
from datasets_app.curate.rules.staleness import UpToDate
from datasets_app.curate.rules.superseded import NotSuperseded
from datasets_app.curate.rules.tags import HasTag
from datasets_app.curate.rules.task_findings import TaskFindings
from datasets_app.curate.rules.time_confirmed import TimeConfirmed
from datasets_app.curate.rules.top import TopOverall
from datasets_app.curate.rules.trace import HasTrace, TraceTokens
from datasets_app.curate.rules.union import AnyOf
from datasets_app.curate.rules.votes import VotesAgree, VotesAtLeast

RULES: dict[str, type[Rule]] = {
    rule.name: rule
    for rule in (
        Outcome,
        Findings,
        FindingCode,
        TaskFindings,
        ProfileAtLeast,
        VerifiedSince,
        UpToDate,
        RunsAgree,
        Verdict,
        NotSuperseded,
        VotesAtLeast,
        VotesAgree,
        HasTag,
        HasTrace,
        TraceTokens,
        Speedup,
        SpeedupAtLeast,
        ClaimHolds,
        TimeConfirmed,
        CustomKernelShare,
        Source,
        Licence,
        Generator,
        Language,
        HeldOut,
        Decontaminate,
        Difficulty,
        Duplicates,
        NearDuplicates,
        LikeJudged,
        MinCorrect,
        AnyOf,
        FastestIsShortest,
        FastestAbove,
        SingleOperator,
        BestPerTask,
        TopOverall,
        BalanceKinds,
        CapEach,
        Balance,
        RandomPerTask,
        RandomSample,
    )
}
