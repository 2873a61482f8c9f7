"""Words that the engine's reasons use, with their meanings for readers who do not know the engine."""

import re
from dataclasses import dataclass

# What the name of a trial says of its inputs. Whole numbers change places instead of size.
FAMILIES = {
    "natural": "the task's own inputs, as its get_inputs() draws them",
    "uniform": "random values of one range in place of the task's own",
    "scaled_up": "the task's own inputs, 32 times as large",
    "scaled_down": "the task's own inputs, a sixteenth as large",
    "constant": "each input filled with one value of its own",
    "constants": "inputs that the task never varies, such as a mask of ones, changed in a few places",
    "integers": "small whole numbers in place of the task's own values",
    "one_hot": "zeros, and a one at a random place",
    "sorted": "the task's own values in the order of their size",
    "mixed": "blocks of very different size in one input",
    "alternating": "the task's own values with alternating signs",
    "spikes": "in each row one value that weighs as much as the rest of it, or half as much",
    "stretched": "stretches of each input with much smaller, and with larger, values than the rest",
    "emptied": "masks of which whole rows choose nothing, and labels some of which have no members",
    "signed": "random signs on inputs that the task never draws below zero",
}
WORDS = {
    "trial": "one comparison of the kernel with the program on one draw of inputs; its name says how they were changed",
    "family": "a way of changing the task's own inputs so that shortcuts show, such as spikes",
    "candidate": "the kernel, before it has a verdict",
    "reference": "the task's PyTorch program, which says what is right",
    "eager": "the program as PyTorch runs it, without compilation",
    "judge": "the engine's process that makes inputs, runs the program, compares and times",
    "runner": "the process that runs the kernel; it sees neither expected outputs nor the verdict",
    "order": "many calls that the judge hands over together and times by its own clock",
    "consecutive calls": "calls of one order, one right after the other, as they are timed",
    "lane": "a device with its processes; it has one job at a time",
    "last bits": "changes as small as the rounding of one number",
    "unjoined stream": "a CUDA stream of the kernel's own, for which the caller's stream does not wait",
    "tolerance": "how far an output may be from the program's; measured per task, or KernelBench's",
}
NAMED_FAMILY = re.compile(rf"\b(?:trial|family) ({'|'.join(FAMILIES)})\b")
FORMS = {word: re.compile(rf"\b{word}s?\b".replace("ys?", "(?:y|ies)")) for word in WORDS}
# Words that most reasons have, and that say little about one of them: explained on the page of findings alone.
COMMON = frozenset({"trial", "family", "candidate", "reference", "tolerance"})


@dataclass(frozen=True)
class Term:
    name: str
    says: str

    @property
    def slug(self) -> str:
        return f"term-{self.name.replace('_', '-').replace(' ', '-')}"


def all_terms() -> list[Term]:
    return [Term(name, says) for name, says in {**WORDS, **FAMILIES}.items()]


def terms_in(*texts: str) -> list[Term]:
    """Return the less common words of these reasons, and the families that they name, each once."""
    text = "\n".join(texts)
    named = set(NAMED_FAMILY.findall(text))
    used = {word for word, form in FORMS.items() if word not in COMMON and form.search(text)}
    return [term for term in all_terms() if term.name in used | named]
