"""What differs between two definitions, in words: rules added, removed, changed and moved, and settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from datasets_app.curate.definition import SPLITS, Definition, rule_json
from datasets_app.curate.rule import Rule
from datasets_app.curate.splits import WORDS

ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"


@dataclass(frozen=True)
class Change:
    """One difference. `place`: of the rule after the change (before it, for a removed one), as people count: 2.1."""

    kind: str  # added, removed, changed, moved
    sentence: str
    place: str = ""  # empty: a setting of the recipe

    @property
    def words(self) -> str:
        """Return such as "Rule 2 added: Has a reasoning trace"."""
        rule = "Former rule" if self.kind == REMOVED else "Rule"
        return f"{rule} {self.place} {self.kind}: {self.sentence}" if self.place else self.sentence


def changes(before: Definition, after: Definition) -> list[Change]:
    """Return what makes `after` of `before`: rules from top to bottom, then settings. Empty if they are the same."""
    return [*rule_changes(before.rules, after.rules, ""), *setting_changes(before, after)]


def setting_changes(before: Definition, after: Definition) -> Iterator[Change]:
    settings = (
        ("Seed", before.seed, after.seed),
        ("Evidence on", before.device or "the reference device", after.device or "the reference device"),
        ("Splits", split_words(before), split_words(after)),
        ("Kept in one split", WORDS[before.together], WORDS[after.together]),
        ("Leaks between splits", leak_words(before), leak_words(after)),
    )
    for title, old, new in settings:
        if old != new:
            yield Change(CHANGED, f"{title}: {old} became {new}")


def split_words(definition: Definition) -> str:
    return ", ".join(
        f"{split} {definition.splits[split]:g} %" for split in SPLITS if definition.splits[split]
    )


def leak_words(definition: Definition) -> str:
    return "allowed" if definition.allow_leaks else "refused"


# --- Rules ---


def rule_changes(before: Sequence[Rule], after: Sequence[Rule], inside: str) -> list[Change]:
    gone, new, found = unmatched(before, after, inside)
    for at in list(gone):
        same = next((to for to in new if key(after[to]) == key(before[at])), None)
        if same is not None:
            gone.remove(at)
            new.remove(same)
            found.append(
                Change(
                    MOVED, f"{after[same].sentence()}, from place {place(inside, at)}", place(inside, same)
                )
            )
    found += [Change(REMOVED, before[at].sentence(), place(inside, at)) for at in gone]
    found += [Change(ADDED, after[at].sentence(), place(inside, at)) for at in new]
    return sorted(found, key=lambda change: [int(part) for part in change.place.split(".")])


def unmatched(
    before: Sequence[Rule], after: Sequence[Rule], inside: str
) -> tuple[list[int], list[int], list[Change]]:
    """Return the rules without a counterpart at their place, and the changes of those that have one there.

    Counterparts are equal rules in the same order and, between two such, rules of one kind.
    """
    gone: list[int] = []
    new: list[int] = []
    found: list[Change] = []
    matcher = SequenceMatcher(
        None, [key(rule) for rule in before], [key(rule) for rule in after], autojunk=False
    )
    for _, start, end, to_start, to_end in (code for code in matcher.get_opcodes() if code[0] != "equal"):
        left = list(range(to_start, to_end))
        for at in range(start, end):
            to = next((other for other in left if after[other].name == before[at].name), None)
            if to is None:
                gone.append(at)
                continue
            left.remove(to)
            found += changed(before[at], after[to], place(inside, to))
        new += left
    return gone, new, found


def changed(before: Rule, after: Rule, at: str) -> list[Change]:
    """Return the parameters that differ, and the changes of the rules inside."""
    words = [
        f"{parameter.title} {parameter.say(before[parameter.name])} became {parameter.say(after[parameter.name])}"
        for parameter in after.parameters
        if before[parameter.name] != after[parameter.name]
    ]
    own = [Change(CHANGED, f"{after.title}: {', '.join(words)}", at)] if words else []
    return [*own, *rule_changes(before.rules, after.rules, f"{at}.")]


def key(rule: Rule) -> str:
    return json.dumps(rule_json(rule), sort_keys=True)


def place(inside: str, index: int) -> str:
    return f"{inside}{index + 1}"
