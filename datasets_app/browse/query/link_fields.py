"""Filters over names that another table links to samples: tags, reviewers."""

from dataclasses import dataclass

from django.db.models import Model, Q, QuerySet

from datasets_app.browse.query.fields import NONE, Admits, Field, Values, either


@dataclass(frozen=True, kw_only=True)
class LinkField(Field):
    """`path` leads from a row of `links` to the name. `none` is the word for samples without any."""

    links: type[Model]
    path: str
    none: str

    def samples(self) -> QuerySet:
        return self.links._default_manager.order_by()

    def condition(self, values: Values) -> Q:
        named = [value for value in values if value != NONE]
        asked = Q(pk__in=self.samples().filter(**{f"{self.path}__in": named}).values("sample"))
        return asked if len(named) == len(values) else asked | ~Q(pk__in=self.samples().values("sample"))

    def admits(self, values: Values) -> Admits | None:
        """Return None for `none`: a sample without links has no stored value to test."""
        return None if NONE in values else values.__contains__

    def say(self, values: Values) -> str:
        named = [value for value in values if value != NONE]
        parts = [self.phrase.format(either(named))] if named else []
        return either([*parts, self.none] if len(named) < len(values) else parts)
