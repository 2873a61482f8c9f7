"""Full-text search over program, trace and kernel: turns a query into each database's own syntax.

A list that is searched joins the index only and reads no text.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Lookup, UUIDField
from django.db.models.expressions import RawSQL

from datasets_app.db.text_index.work_limit import WorkLimit

MOST_TERMS = 32
PIECE = re.compile(r'"[^"]*"?\*?|[^\s"]+')
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Term:
    """Words that must be adjacent; the last may be a prefix."""

    words: tuple[str, ...]
    prefix: bool = False


def pieces(text: str) -> list[str]:
    """Split the text at spaces, except inside quotes."""
    return PIECE.findall(text)


def terms(text: str) -> list[Term]:
    """Return what a query asks for: words, "phrases in quotes" and prefixes*; a text must contain all of them.

    Words are runs of letters, digits and underscores, as the indexes split them: conv_transpose2d is one word and
    torch::relu is a phrase of two.
    """
    wanted = []
    for piece in pieces(text):
        if words := tuple(WORD.findall(piece)):
            wanted.append(Term(words, prefix=piece.rstrip('"').endswith("*")))
    return wanted[:MOST_TERMS]


def sqlite_match(asked: list[Term]) -> str:
    """Return an FTS5 expression. Words contain no quote, so that quoting them makes every operator a plain word."""
    return " AND ".join(f'"{" ".join(term.words)}"{"*" if term.prefix else ""}' for term in asked)


def postgres_match(asked: list[Term]) -> tuple[str, list[str]]:
    """Return a tsquery as SQL and its parameters; the words pass through the function that split the texts."""
    parts, params = [], []
    for term in asked:
        if term.prefix:
            parts.append(
                "to_tsquery('simple', regexp_replace(trim(concur_words(%s)), '\\s+', ' <-> ', 'g') || ':*')"
            )
        else:
            parts.append("phraseto_tsquery('simple', concur_words(%s))")
        params.append(" ".join(term.words))
    return " && ".join(parts), params


def matching_ids(vendor: str, kind: str, text: str) -> RawSQL | list[str]:
    """Return the ids of the samples (`kind` sample) or tasks (task) whose texts match, for `pk__in`."""
    asked = terms(text)
    if not asked:
        return []
    sql, params = postgres_select(kind, asked) if vendor == "postgresql" else sqlite_select(kind, asked)
    return RawSQL(sql, params)  # noqa: S611  the SQL is ours; what was typed is a parameter


def postgres_select(kind: str, asked: list[Term]) -> tuple[str, list[str]]:
    query, params = postgres_match(asked)
    return f"SELECT {kind}_id FROM concur_{kind}_search WHERE document @@ ({query})", params  # noqa: S608


def sqlite_select(kind: str, asked: list[Term]) -> tuple[str, list[str]]:
    table = f"concur_{kind}_search"
    words = f"{table}_words"
    sql = f"SELECT {kind}_id FROM {table} JOIN {words} ON {words}.rowid = {table}.id WHERE {words} MATCH %s"  # noqa: S608
    return sql, [sqlite_match(asked)]


AT_ONCE = 2000


def numbers_with(text: str, most: int, seconds: float) -> tuple[list[int], bool]:
    """Return the numbers (db.facet_index) of the samples that match, and whether those are all.

    At most `most` numbers, found within `seconds`; on SQLite the newest come first.
    """
    asked = terms(text)
    if not asked:
        return [], True
    if connection.vendor == "postgresql":
        query, params = postgres_match(asked)
        sql = f"SELECT * FROM concur_numbers_with({query}, {int(most)}, {float(seconds)})"  # noqa: S608
    else:
        rows, params = sqlite_rows("sample", asked)
        sql = f"{rows} ORDER BY rowid DESC LIMIT {int(most)}"
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return fetched(cursor, seconds if connection.vendor == "sqlite" else math.inf)


def fetched(cursor: Any, seconds: float) -> tuple[list[int], bool]:
    """Fetch rows until the time is up. PostgreSQL marks a list that was cut short with a null."""
    limit, numbers = WorkLimit(seconds), []
    while some := cursor.fetchmany(AT_ONCE):
        numbers += [number for (number,) in some]
        if limit.is_over:
            return numbers, False
    return (numbers[:-1], False) if numbers and numbers[-1] is None else (numbers, True)


def sqlite_rows(kind: str, asked: list[Term]) -> tuple[str, list[str]]:
    words = f"concur_{kind}_search_words"
    return f"SELECT rowid FROM {words} WHERE {words} MATCH %s", [sqlite_match(asked)]  # noqa: S608


def asked_of(text: str) -> list[Term]:
    if not (asked := terms(text)):
        raise EmptyResultSet
    return asked


@UUIDField.register_lookup
class HoldsWords(Lookup):
    """`pk__holds_words="warp"` of a sample: tests each row in the list's order, for words that many rows contain.

    `pk__in=matching_ids(...)` finds the same rows and is faster for rare words.
    """

    lookup_name = "holds_words"
    prepare_rhs = False

    def get_db_prep_lookup(self, value: Any, connection: Any) -> tuple[str, tuple[str, ...]]:
        return "%s", (sqlite_match(asked_of(value)),)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        row, row_params = self.process_lhs(compiler, connection)
        _, words = self.process_rhs(compiler, connection)
        table = "concur_sample_search"
        sql = f"EXISTS (SELECT 1 FROM {table} m JOIN {table}_words ON {table}_words.rowid = m.id "  # noqa: S608
        return f"{sql} WHERE {table}_words MATCH %s AND m.sample_id = {row})", (*words, *row_params)

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the condition as a subquery that cannot be flattened, or the planner would read every document that
        matches."""
        row, row_params = self.process_lhs(compiler, connection)
        query, words = postgres_match(asked_of(self.rhs))
        sql = f"(SELECT m.document @@ ({query}) FROM concur_sample_search m WHERE m.sample_id = {row})"  # noqa: S608
        sql = f"coalesce({sql}, false)"  # of a text that is not indexed yet; null would have no negation
        return sql, (*words, *row_params)
