"""The codes of what can be known against a task as a test of kernels, and how answers amount to them."""

from collections.abc import Collection, Mapping
from typing import Any

# robust-kbench's filters by their names (arXiv:2509.14279), then what else the admission test asks.
MEANINGS = {
    "output_range": "all outputs are within 0.01 of zero",
    "output_std": "the outputs vary by less than 0.01",
    "output_axes": "the outputs vary by less than 0.01 along an axis",
    "input_impact": "the output does not depend on all of its inputs",
    "llm_sanity": "the source's language model objected to the task",
    "constant_output": "a constant, zeros or the output's mean pass in its place",
    "weights_ignored": "some weights do not change the output",
    "nondeterministic": "the program returns different outputs for the same inputs",
    "random_reference": "the program draws random numbers of its own",
    "precision_insensitive": "operands of the next lower precision pass",
}
# Its `filter_results` by name; later versions tell apart to what the language model objected.
FILTERS = {
    "filter_output_range": "output_range",
    "filter_output_std": "output_std",
    "filter_output_axes": "output_axes",
    "filter_input_impact": "input_impact",
    "filter_llm_sanity": "llm_sanity",
    "filter_llm_redundancy": "llm_sanity",
    "filter_llm_inefficiency": "llm_sanity",
}


def codes_of(answers: Mapping[str, Any]) -> set[str]:
    """Return the findings that the answers of an admission test amount to."""
    found = {name for name in ("output_range", "output_std", "output_axes") if answers.get(name) is True}
    if any(answers.get(name) is True for name in ("constant_passes", "zeros_pass", "mean_passes")):
        found.add("constant_output")
    if answers.get("output_moves") is False or fewer(answers, "inputs"):
        found.add("input_impact")
    if fewer(answers, "weights"):
        found.add("weights_ignored")
    if answers.get("deterministic") is False:
        found.add("nondeterministic")
    if answers.get("random") is True:
        found.add("random_reference")
    if answers.get("lower_precision_passes") is True:
        found.add("precision_insensitive")
    return found


def fewer(answers: Mapping[str, Any], what: str) -> bool:
    """Return whether some of what was asked about do not move the output."""
    asked, moved = answers.get(f"{what}_asked"), answers.get(f"{what}_that_move")
    return isinstance(asked, int) and isinstance(moved, int) and moved < asked


def by_filters(results: Mapping[str, Any]) -> Collection[str]:
    """Return the findings of robust-kbench's `filter_results`: filters that the task did not pass."""
    return tuple(dict.fromkeys(code for name, code in FILTERS.items() if results.get(name) is True))
