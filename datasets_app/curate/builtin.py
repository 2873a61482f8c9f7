"""The recipes that come with the project. A migration stores them; a test holds them valid."""

from typing import Any

SPLITS = {"train": 90, "validation": 5, "test": 5}
SEED = 2025
CONCUR_ROWS = 4892

CONCUR_DESCRIPTION = """\
What ConCuR did with its 24,136 correct kernels over 9,789 tasks: it kept (a) tasks whose fastest kernel is also \
the one with the shortest trace (3,934 rows), (b) fastest kernels with a speedup over 5 (414), and (c) fastest \
kernels of single-operator tasks, to balance the kinds of task (544): 4,892 in all.

Known: the three criteria and their counts, which add up without overlap.
Not stated in what could be read, so decided here, each a parameter that you can change in a copy:
- device and language: CUDA kernels, as measured on this site's reference device; nothing is ranked across devices;
- overlap: (b) and (c) look only at tasks that no earlier criterion chose from;
- a tie in trace length counts for the task; a tie in speed goes to the shorter trace;
- “shortest” ranges over the correct samples of the task (“among” can be set to all of them);
- a single-operator task is one whose program calls one torch operator once, as executed on the meta device; of a \
task that no verification has traced, one whose text names one;
- (c) takes kinds of task in turn, the faster kernels first, up to 544;
- a task needs one correct sample (raise “Minimum correct samples per task” to ask for more);
- the tokenizer is this site's, named with every count.
Correct and fast are as measured here, not as claimed. ConCuR released one split; here 5 % of the tasks each go to \
validation and test: set train to 100 to do as it did."""

GUARDS: list[dict[str, Any]] = [
    {"rule": "language", "languages": ["cuda"]},
    {"rule": "has_trace"},
    {"rule": "min_correct", "basis": "measured", "minimum": 1},
]
CRITERIA: dict[str, dict[str, Any]] = {
    "fastest_is_shortest": {"basis": "measured", "among": "correct"},
    "fastest_above": {"basis": "measured", "above": 5.0},
    "single_operator": {"basis": "measured", "up_to": 544},
}
ABLATION = (
    "ConCuR's recipe (see concur) without its criterion {}: train on both to see what the criterion is worth."
)
RANDOM_DESCRIPTION = f"""\
What ConCuR's recipe is compared with: from the same correct kernels, one of each task by lot and of these at most \
{CONCUR_ROWS:,}, the number of rows that ConCuR kept. Set the number to the size of your own release of concur to \
compare like with like."""


def definition(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"version": 1, "seed": SEED, "device": "", "rules": list(rules), "splits": SPLITS}


def any_criterion(without: str = "") -> dict[str, Any]:
    rules = [{"rule": name, **values} for name, values in CRITERIA.items() if name != without]
    return {"rule": "any_of", "later": "other_tasks", "rules": rules}


def ablation(without: str, letter: str, words: str) -> dict[str, Any]:
    return {
        "title": f"ConCuR without {words}",
        "description": ABLATION.format(f"({letter}), {words}"),
        "definition": definition(*GUARDS, any_criterion(without)),
    }


BUILTIN: dict[str, dict[str, Any]] = {
    "concur": {
        "title": "ConCuR: concise traces, fast kernels, balanced tasks",
        "description": CONCUR_DESCRIPTION,
        "definition": definition(*GUARDS, any_criterion()),
    },
    "concur-without-concise": ablation("fastest_is_shortest", "a", "concise traces"),
    "concur-without-fast": ablation("fastest_above", "b", "very fast kernels"),
    "concur-without-balance": ablation("single_operator", "c", "single-operator tasks"),
    "concur-random": {
        "title": "ConCuR's number of rows, drawn at random",
        "description": RANDOM_DESCRIPTION,
        "definition": definition(
            *GUARDS,
            {"rule": "outcome", "outcomes": ["passed"]},
            {"rule": "random_per_task", "rows": 1},
            {"rule": "random_sample", "rows": CONCUR_ROWS},
        ),
    },
    "verified-accepted": {
        "title": "Verified and accepted",
        "description": "Samples that passed verification here, that no check objects to, and that a reviewer "
        "accepted; one of each kernel.",
        "definition": definition(
            {"rule": "outcome", "outcomes": ["passed"]},
            {"rule": "findings", "having": "none", "severities": ["reject"]},
            {"rule": "verdict", "keep": "accepted"},
            {"rule": "duplicates", "within": "task"},
        ),
    },
}
