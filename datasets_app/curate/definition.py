"""A recipe's definition: JSON in, rules out, every fault named with the place where it stands.

    {"version": 1, "seed": 7, "device": "NVIDIA H200",
     "rules": [{"rule": "has_trace"},
               {"rule": "any_of", "later": "other_tasks", "rules": [{"rule": "fastest_above", "above": 5}]}],
     "splits": {"train": 90, "validation": 5, "test": 5}, "together": "near_duplicates", "allow_leaks": false}

Splits are percentages of groups of tasks; `together` says what is kept in one split (datasets_app.curate.splits). A
freeze refuses a selection of which several splits share something, unless leaks are allowed. The device is the one
whose evidence the rules see; empty, it is the site's reference device. Faults name their place by counting from 0: `2`
is the third rule, `2.0` the first inside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from datasets_app.curate.parameters import ParameterError
from datasets_app.curate.rule import Rule
from datasets_app.curate.rules import RULES
from datasets_app.curate.splits import NEEDS, Together

VERSION = 1
MAX_RULES = 50
MAX_SEED = 2**32 - 1
SPLITS = ("train", "validation", "test")
ALL_TRAIN = {"train": 100.0, "validation": 0.0, "test": 0.0}
KEYS = {"version", "seed", "device", "rules", "splits", "together", "allow_leaks"}
LONGEST_DEVICE = 120


class RecipeError(ValueError):
    """All faults of a definition: place (as `2.0.minimum`, `seed`, `splits`) to sentence."""

    def __init__(self, faults: dict[str, str]) -> None:
        self.faults = faults
        super().__init__(" ".join(f"[{place}] {text}" for place, text in faults.items()))


@dataclass(frozen=True)
class Definition:
    """A definition that was checked."""

    seed: int
    rules: tuple[Rule, ...]
    splits: dict[str, float]  # split to percentage of groups; they sum to 100
    device: str = ""  # empty: the site's reference device
    together: Together = Together.NEAR_DUPLICATES
    allow_leaks: bool = False

    def needs(self) -> frozenset[str]:
        return self.rule_needs() | (NEEDS if self.is_split else frozenset())

    def rule_needs(self) -> frozenset[str]:
        return frozenset().union(*(rule.all_needs() for rule in self.rules))

    @property
    def is_split(self) -> bool:
        """Return whether rows go to more than one split."""
        return sum(share > 0 for share in self.splits.values()) > 1

    def scaled(self, share: float) -> Definition:
        """Return the definition for a share of the store: a number of the whole store's rows becomes its share."""
        return replace(self, rules=tuple(rule.scaled(share) for rule in self.rules))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form with every parameter, so that a default that changes later changes no recipe."""
        rules = [rule_json(rule) for rule in self.rules]
        return {
            "version": VERSION,
            "seed": self.seed,
            "device": self.device,
            "rules": rules,
            "splits": self.splits,
            "together": self.together.value,
            "allow_leaks": self.allow_leaks,
        }


def rule_json(rule: Rule) -> dict[str, Any]:
    spelt = {"rule": rule.name, **rule.values}
    return {**spelt, "rules": [rule_json(inner) for inner in rule.rules]} if rule.takes_rules else spelt


@dataclass
class Reader:
    """Reads a definition and collects its faults."""

    faults: dict[str, str] = field(default_factory=dict)

    def definition(self, data: Mapping[str, Any]) -> Definition:
        if data.get("version", VERSION) != VERSION:
            self.faults["version"] = f"Version {data['version']!r} is not known; this site reads {VERSION}."
        for key in sorted(set(data) - KEYS):
            self.faults[key] = f"{key!r} has no meaning in a recipe; it has {', '.join(sorted(KEYS))}."
        return Definition(
            self.seed(data.get("seed", 0)),
            self.rules(data.get("rules", [])),
            self.splits(data),
            self.device(data.get("device", "")),
            self.together(data.get("together", Together.NEAR_DUPLICATES.value)),
            self.allow_leaks(data.get("allow_leaks", False)),
        )

    def together(self, value: Any) -> Together:
        if isinstance(value, str) and value in set(Together):
            return Together(value)
        self.faults["together"] = f"Keep together one of {', '.join(Together)}, not {value!r}."
        return Together.NEAR_DUPLICATES

    def allow_leaks(self, value: Any) -> bool:
        if not isinstance(value, bool):
            self.faults["allow_leaks"] = "Leaks are allowed or not: true or false."
        return value is True

    def device(self, value: Any) -> str:
        if isinstance(value, str) and len(value) <= LONGEST_DEVICE and value == value.strip():
            return value
        self.faults["device"] = f"The device is a name of at most {LONGEST_DEVICE} characters, or empty."
        return ""

    def seed(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_SEED:
            self.faults["seed"] = f"The seed is a whole number from 0 to {MAX_SEED}, not {value!r}."
            return 0
        return value

    def splits(self, data: Mapping[str, Any]) -> dict[str, float]:
        value = data.get("splits", ALL_TRAIN)
        if not isinstance(value, Mapping) or set(value) - set(SPLITS):
            self.faults["splits"] = f"Splits give {', '.join(SPLITS)} a percentage each."
            return ALL_TRAIN
        parts = {split: value.get(split) or 0 for split in SPLITS}
        if any(
            isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 100 for p in parts.values()
        ):
            self.faults["splits"] = "Each split is a percentage from 0 to 100."
        elif abs(sum(parts.values()) - 100) > 1e-6:
            self.faults["splits"] = f"The splits sum to {sum(parts.values()):g} %; they must sum to 100 %."
        else:
            return {split: float(part) for split, part in parts.items()}
        return ALL_TRAIN

    def rules(self, entries: Any, inside: str = "") -> tuple[Rule, ...]:
        place = f"{inside}rules" if inside else "rules"
        if not isinstance(entries, list):
            self.faults[place] = "Rules are a list."
            return ()
        if len(entries) > MAX_RULES:
            self.faults[place] = f"{len(entries)} rules; {MAX_RULES} are the most."
            return ()
        read = (self.rule(entry, f"{inside}{index}") for index, entry in enumerate(entries))
        return tuple(rule for rule in read if rule is not None)

    def rule(self, entry: Any, place: str) -> Rule | None:
        named = entry.get("rule") if isinstance(entry, dict) else entry
        kind = RULES.get(named) if isinstance(entry, dict) and isinstance(named, str) else None
        if kind is None:
            self.faults[place] = f"{named!r} is not a rule. The rules are {', '.join(RULES)}."
            return None
        inner: tuple[Rule, ...] = ()
        if kind.takes_rules:
            inner = self.inner_rules(entry, place)
        values = self.values(kind, entry, place)
        return kind(values, inner)

    def inner_rules(self, entry: dict[str, Any], place: str) -> tuple[Rule, ...]:
        if "." in place:
            self.faults[place] = "A rule with rules inside cannot stand inside another."
            return ()
        if not entry.get("rules"):
            self.faults[place] = "Add at least one rule inside; without any it drops every row."
            return ()
        return self.rules(entry["rules"], f"{place}.")

    def values(self, kind: type[Rule], entry: dict[str, Any], place: str) -> dict[str, Any]:
        parameters = {parameter.name: parameter for parameter in kind.parameters}
        for key in sorted(
            set(entry) - set(parameters) - {"rule"} - ({"rules"} if kind.takes_rules else set())
        ):
            self.faults[f"{place}.{key}"] = f"The rule {kind.name} takes no {key!r}."
        values = {}
        for name, parameter in parameters.items():
            try:
                values[name] = parameter.check(entry.get(name, parameter.default))
            except ParameterError as error:
                self.faults[f"{place}.{name}"] = str(error)
        self.bounds(values, place)
        for name, fault in kind.value_faults(values).items():
            self.faults.setdefault(f"{place}.{name}", fault)
        return values

    def bounds(self, values: dict[str, Any], place: str) -> None:
        low, high = values.get("minimum"), values.get("maximum")
        if low is not None and high is not None and low > high:
            self.faults[f"{place}.maximum"] = (
                f"The maximum, {high:g}, is below the minimum, {low:g}: no row can pass."
            )


def parse(data: Any) -> Definition:
    """Return the definition that `data` describes. Raises RecipeError with every fault."""
    if not isinstance(data, Mapping):
        raise RecipeError(
            {"recipe": "A recipe is a JSON object with version, seed, device, rules and splits."}
        )
    reader = Reader()
    definition = reader.definition(data)
    if reader.faults:
        raise RecipeError(reader.faults)
    return definition
