"""Checks the texts of an edit: what cannot be stored, is no candidate, or is a sample already, gets a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.models import Sample
from datasets_app.models.identity import normalise, sample_id
from datasets_app.review.edits.errors import EditError
from datasets_app.syntax import program
from datasets_app.syntax.languages import detect_language
from datasets_app.text_input.validate import storable_fault

LONGEST_EDITED = 500_000  # characters, of the kernel and of the trace
SECONDS = 2.0


@dataclass(frozen=True)
class EditTexts:
    """Checked texts, with what follows from them."""

    reasoning: str
    kernel: str
    language: str
    content_id: UUID
    kernel_changed: bool
    trace_changed: bool


def checked_texts(base: Sample, reasoning: str, kernel: str) -> EditTexts:
    """Return the texts as they are stored; `base` comes with its bodies. Raises EditError, a sentence per field."""
    reasoning, kernel = (as_typed(base_text, text) for base_text, text in pairs(base, reasoning, kernel))
    errors = {
        name: fault
        for name, fault in (
            ("kernel_code", storable_fault("The kernel", kernel, LONGEST_EDITED)),
            ("reasoning", storable_fault("The trace", reasoning, LONGEST_EDITED)),
        )
        if fault
    }
    if not kernel.strip():
        errors["kernel_code"] = "The kernel is empty: a sample needs one."
    if errors:
        raise EditError(errors)
    content = sample_id(base.task.body.pytorch_code, reasoning, kernel)
    if content == base.pk:
        raise EditError({"kernel_code": "Nothing is changed: edit the kernel or the trace, then send it."})
    refuse_stored(content)
    changed = [normalise(old) != normalise(new) for old, new in pairs(base, reasoning, kernel)]
    language = base.language
    if changed[1]:
        language = checked_kernel(kernel)
    return EditTexts(
        reasoning, kernel, language, content, kernel_changed=changed[1], trace_changed=changed[0]
    )


def pairs(base: Sample, reasoning: str, kernel: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (base.body.reasoning, reasoning), (base.body.kernel_code, kernel)


def as_typed(stored: str, text: str) -> str:
    """Return a form's text with the line ends of the site; one that differs in those alone is the stored one."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return stored if normalise(text) == normalise(stored) else text


def refuse_stored(content: UUID) -> None:
    """Raise EditError if a sample has these texts already."""
    if Sample.objects.filter(pk=content).exists():
        sentence = f"The sample {content} has exactly these texts: review that one instead."
        raise EditError({"kernel_code": sentence})


def checked_kernel(kernel: str) -> str:
    """Return the kernel's language. Raises EditError if it defines no ModelNew."""
    try:
        found = analysed(program.definition, kernel, "ModelNew", seconds=SECONDS)
        language = analysed(detect_language, kernel, seconds=SECONDS)
    except AnalysisError as error:
        raise EditError({"kernel_code": f"The kernel cannot be read. {error}"}) from error
    if found.syntax_error:
        raise EditError({"kernel_code": f"The kernel does not parse: {found.syntax_error}."})
    if not found.is_there:
        raise EditError({"kernel_code": "The kernel defines no class ModelNew, which the engine runs."})
    return str(language)
