"""A recipe on the page while somebody composes it: form to definition, moves of rules, definition to form.

Nothing is stored. A draft may hold values that no rule takes; they are shown again with what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from datasets_app.curate import known
from datasets_app.curate.definition import SPLITS, VERSION, Definition, RecipeError, parse
from datasets_app.curate.parameters import Integer, Names, Number, Parameter
from datasets_app.curate.rule import Rule
from datasets_app.curate.rules import RULES
from datasets_app.curate.splits import WORDS, Together
from datasets_app.evidence import devices
from datasets_app.models import Recipe

SEED = Integer(name="seed", title="Seed", default=0)
SHARE = Number(name="share", title="Share", default=0)


def short(value: Any) -> Any:
    """Return 5 for 5.0, as people write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass
class FieldForm:
    """One parameter on the page."""

    parameter: Parameter
    place: str  # as in 2.0.minimum
    value: Any
    error: str

    @property
    def id(self) -> str:
        return "f-" + self.place.replace(".", "-")

    @property
    def template(self) -> str:
        return f"curate/_{self.parameter.widget}.html"

    def options(self) -> list[str]:
        """Return the words to tick: those of the store, and those of the recipe that the store lacks."""
        chosen = self.value if isinstance(self.value, list) else []
        listed = known.names(self.parameter.known) if isinstance(self.parameter, Names) else []
        return list(dict.fromkeys([*listed, *chosen]))


@dataclass
class RuleForm:
    """One rule on the page."""

    place: str
    rule: type[Rule] | None  # None: a name that no rule has
    fields: list[FieldForm]
    inner: list[RuleForm]
    error: str
    first: bool
    last: bool

    @property
    def number(self) -> str:
        return ".".join(str(int(part) + 1) for part in self.place.split("."))


@dataclass
class Draft:
    data: dict[str, Any]
    faults: dict[str, str] = field(default_factory=dict)
    outdated_by: Recipe | None = None  # as somebody else saved it meanwhile

    def definition(self) -> Definition | None:
        """Return the checked definition; None, with `faults` filled, if it has any."""
        try:
            return parse(self.data)
        except RecipeError as error:
            self.faults |= error.faults
            return None

    def rules(self) -> list[RuleForm]:
        return list(self.rule_forms(self.data["rules"], ""))

    def rule_forms(self, entries: list[dict[str, Any]], inside: str) -> Iterator[RuleForm]:
        for index, entry in enumerate(entries):
            place = f"{inside}{index}"
            rule = RULES.get(entry.get("rule", ""))
            fields = [
                self.field_form(parameter, entry, place) for parameter in (rule.parameters if rule else ())
            ]
            inner = list(self.rule_forms(entry.get("rules", []), f"{place}."))
            error = self.faults.get(place, "")
            yield RuleForm(place, rule, fields, inner, error, index == 0, index == len(entries) - 1)

    def field_form(self, parameter: Parameter, entry: dict[str, Any], place: str) -> FieldForm:
        spot = f"{place}.{parameter.name}"
        value = entry.get(parameter.name, parameter.default)
        return FieldForm(parameter, spot, short(value), self.faults.get(spot, ""))

    def fields(self) -> Iterator[FieldForm]:
        for form in self.rules():
            yield from form.fields
            for inner in form.inner:
                yield from inner.fields

    def devices(self) -> list[tuple[str, str, bool]]:
        """Return value, words and whether it is chosen, of each device to choose from; one small query."""
        chosen = self.data.get("device", "")
        names = [device.name for device in devices.ordered()]
        reference = f"Reference device ({names[0]})" if names else "Reference device"
        others = {name: name for name in [*names, chosen] if name}
        return [(value, words, value == chosen) for value, words in ({"": reference} | others).items()]

    def togethers(self) -> list[tuple[str, str, bool]]:
        """Return value, words and whether it is chosen, of what may be kept in one split."""
        chosen = self.data.get("together", Together.NEAR_DUPLICATES)
        return [(value.value, words, value == chosen) for value, words in WORDS.items()]

    def splits(self) -> list[tuple[str, Any]]:
        given = self.data.get("splits", {})
        return [(split, short(given.get(split, 0))) for split in SPLITS]


def empty() -> Draft:
    splits = {"train": 90, "validation": 5, "test": 5}
    return Draft({"version": VERSION, "seed": 0, "device": "", "rules": [], "splits": splits})


def from_form(post: QueryDict) -> Draft:
    """Return the draft that a submitted form holds, with its rules in the form's order."""
    rules: dict[str, dict[str, Any]] = {}
    top: list[dict[str, Any]] = []
    for entry in post.getlist("rule"):
        place, _, name = entry.partition(":")
        rules[place] = made = read_rule(post, place, name)
        outer = rules.get(place.rpartition(".")[0])
        siblings = top if outer is None else outer.setdefault("rules", [])
        siblings.append(made)
    splits = {split: read_number(post, f"splits.{split}", SHARE) or 0 for split in SPLITS}
    seed = read_number(post, "seed", SEED)
    return Draft(
        {
            "version": VERSION,
            "seed": 0 if seed is None else seed,
            "device": post.get("device", "").strip(),
            "rules": top,
            "splits": splits,
            "together": post.get("together", Together.NEAR_DUPLICATES.value),
            "allow_leaks": "allow_leaks" in post,
        }
    )


def read_number(post: QueryDict, name: str, parameter: Parameter) -> Any:
    return parameter.from_form(post.getlist(name))


def read_rule(post: QueryDict, place: str, name: str) -> dict[str, Any]:
    rule = RULES.get(name)
    parameters = rule.parameters if rule else ()
    values = {p.name: p.from_form(post.getlist(f"{place}.{p.name}")) for p in parameters}
    return {"rule": name, **values}


# --- Moves: what the buttons of the form do -----------------------------------------------------------


def siblings_of(draft: Draft, place: str) -> tuple[list[dict[str, Any]], int]:
    """Return the list that holds a place, and the index. Raises LookupError or ValueError for an unknown place."""
    outer, _, index = place.rpartition(".")
    entries = draft.data["rules"] if not outer else draft.data["rules"][int(outer)].setdefault("rules", [])
    entries[int(index)]
    return entries, int(index)


def move(draft: Draft, place: str, step: int) -> None:
    entries, at = siblings_of(draft, place)
    to = max(0, min(len(entries) - 1, at + step))
    entries.insert(to, entries.pop(at))


def remove(draft: Draft, place: str) -> None:
    entries, at = siblings_of(draft, place)
    del entries[at]


def add(draft: Draft, inside: str, name: str) -> None:
    """Append a rule with its defaults; `inside` is the place of a rule that takes rules, or empty."""
    rule = RULES[name]
    entries = draft.data["rules"]
    if inside:
        outer, at = siblings_of(draft, inside)
        entries = outer[at].setdefault("rules", [])
    entries.append({"rule": name, **{p.name: p.default for p in rule.parameters}})


MOVES: dict[str, Callable[[Draft, str, str], None]] = {
    "up": lambda draft, place, _: move(draft, place, -1),
    "down": lambda draft, place, _: move(draft, place, 1),
    "remove": lambda draft, place, _: remove(draft, place),
    "add": add,
}


def press(draft: Draft, post: QueryDict) -> None:
    """Apply the pressed button: `up:2.0`, `remove:1`, `add:` with the rule's name in `new` or `new.2`."""
    word, _, place = post.get("do", "").partition(":")
    if word not in MOVES:
        return
    try:
        MOVES[word](draft, place, post.get(f"new.{place}" if place else "new", ""))
    except (LookupError, ValueError):
        draft.faults["recipe"] = "That rule is not there any more; nothing was changed."
