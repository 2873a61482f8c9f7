"""A filter on any part of the code: `code:__shfl_xor`, `code:"float4 *"`."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from datasets_app.browse.query.fields import Values
from datasets_app.browse.query.open_fields import SearchField
from datasets_app.db.text_index.code import SHORTEST, Wanted, matching_code, numbers_holding


@dataclass(frozen=True, kw_only=True)
class CodeField(SearchField):
    """A substring of the kernel or of the program, with spaces and punctuation."""

    any_case: bool = False
    together: bool = True

    def clean(self, text: str) -> str:
        text = super().clean(text)
        if len(text) < SHORTEST:
            hint = f', or search for it as a word: "{text}".' if any(map(str.isalnum, text)) else "."
            raise ValueError(
                f"{self.name} needs at least {SHORTEST} characters, and {text!r} has {len(text)}; add the characters "
                f"next to it{hint}"
            )
        return text

    def wanted(self, value: str) -> Wanted:
        return Wanted(value, self.any_case)

    def condition(self, values: Values) -> Q:
        asked = Q()
        for value in values:
            asked &= Q(pk__in=matching_code(connection.vendor, self.wanted(value)))
        return asked

    def walk(self, values: Values) -> Q:
        asked = Q()
        for value in values:
            asked &= Q(pk__holds_code=self.wanted(value))
        return asked

    def numbers(self, values: Values, most: int, seconds: float) -> tuple[list[int], bool]:
        """Return the samples that contain all parts. The first part is searched; the others narrow its result."""
        numbers, complete = numbers_holding(self.wanted(values[0]), most, seconds)
        for value in values[1:]:
            others, all_of_them = numbers_holding(self.wanted(value), most, seconds)
            numbers, complete = list(set(numbers) & set(others)), complete and all_of_them
        return numbers, complete

    def word(self, value: str) -> str:
        return f"“{value}”"

    def facet_word(self, value: str) -> str:
        return value

    def say(self, values: Values) -> str:
        return self.phrase.format(" and ".join(self.word(value) for value in values))
