"""The severities with which the engine reports each finding, the gravest first."""

from collections.abc import Mapping

from datasets_app.models import Finding
from eval_app.pages.labels import Meaning

REJECT, AUDIT, LABEL = Finding.Severity.values
CODES = {
    (REJECT,): [
        "activations_overwritten", "background_work", "below_roofline", "clock_mismatch",
        "engine_tampered", "forged_message", "lazy_tensor", "out_of_bounds_write", "output_replayed",
        "output_reused", "unsteady_output", "weights_overwritten", "work_after_return", "wrong_later",
    ],
    (REJECT, AUDIT): ["input_mutated"],
    (AUDIT,): [
        "assumes_no_negatives", "assumes_none_empty", "background_thread", "beyond_roofline", "config_untried",
        "gradients_not_finite", "inputs_spared", "large_speedup", "mode_ignored", "output_aliases_input",
        "sanitizer_error", "time_unconfirmed", "weight_gradients_unchecked", "weights_ignored",
    ],
    (LABEL,): [
        "copied_buffers", "degenerate_task", "fixed_shape", "inputs_constant", "mostly_library",
        "noisy_machine", "output_layout", "precision_insensitive", "random_reference", "rounding_decides",
        "uncalibrated", "varying_bits", "weights_seeded",
    ],
}  # fmt: skip
OF_CODE = {code: severities for severities, codes in CODES.items() for code in codes}


def gravest_meanings_first(findings: Mapping[str, Meaning]) -> list[tuple[str, Meaning, tuple[str, ...]]]:
    """Return code, meaning and severities of each finding, by severity and then in the given order; those that the
    engine no longer reports come last, without a severity."""
    order = [*CODES, ()]
    rows = [(code, meaning, OF_CODE.get(code, ())) for code, meaning in findings.items()]
    return sorted(rows, key=lambda row: order.index(row[2]))
