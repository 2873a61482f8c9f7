"""Searches for substrings of a kernel or its task's program: a trigram index yields candidates, whose text is checked.

The index ignores case, so that both kinds of search have the same candidates. Candidates must be checked, since a text
may contain all trigrams without containing them in sequence. `sqlite` and `postgres` index the trigrams of the first
300,000 characters of a text.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Lookup, UUIDField
from django.db.models.expressions import RawSQL

from datasets_app.db.text_index.work_limit import WorkLimit

SHORTEST = 3  # characters: a trigram
MOST_GRAMS = 24  # trigrams per search: more exclude few further texts
AT_ONCE = 200  # candidates between two checks of the time limit


@dataclass(frozen=True)
class Wanted:
    """A substring; `any_case`: the case of ASCII letters does not matter."""

    text: str
    any_case: bool = False

    @property
    def needle(self) -> str:
        return ascii_lower(self.text) if self.any_case else self.text


def ascii_lower(text: str) -> str:
    """Return the text with A to Z in lower case and nothing else changed, as both databases are made to do."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def spread(grams: list[Any]) -> list[Any]:
    """Return at most MOST_GRAMS of them, spread over the whole substring."""
    if len(grams) <= MOST_GRAMS:
        return grams
    return [grams[at * (len(grams) - 1) // (MOST_GRAMS - 1)] for at in range(MOST_GRAMS)]


# --- Conditions -------------------------------------------------------------------------------


def sqlite_match(wanted: Wanted) -> str:
    """Return an FTS5 expression with each trigram in quotes, so that operators in it are plain characters."""
    grams = [wanted.text[at : at + 3] for at in range(len(wanted.text) - 2)]
    return " AND ".join('"{}"'.format(gram.replace('"', '""')) for gram in dict.fromkeys(spread(grams)))


def postgres_grams(wanted: Wanted) -> list[int]:
    """Return three bytes of UTF-8 as one number each, as concur_code_grams() does for the texts."""
    data = ascii_lower(wanted.text).encode()
    grams = [data[at] << 16 | data[at + 1] << 8 | data[at + 2] for at in range(len(data) - 2)]
    return sorted(set(spread(grams)))


def sqlite_holds(column: str, wanted: Wanted) -> str:
    """Return a condition with the needle as its one parameter. lower() of SQLite handles ASCII only."""
    return f"instr(lower({column}), %s) > 0" if wanted.any_case else f"instr({column}, %s) > 0"


def postgres_holds(column: str, wanted: Wanted) -> str:
    text = f'lower({column} COLLATE "C")' if wanted.any_case else column
    return f"strpos({text}, %s) > 0"


def matching_code(vendor: str, wanted: Wanted) -> RawSQL:
    """Return the ids of samples whose kernel or program contains it, for `pk__in`; complete, however long it takes."""
    asked: Any = postgres_grams(wanted) if vendor == "postgresql" else sqlite_match(wanted)
    sql = postgres_select(wanted) if vendor == "postgresql" else sqlite_select(wanted)
    return RawSQL(sql, [asked, wanted.needle, asked, wanted.needle])  # noqa: S611  what was typed is a parameter


def sqlite_select(wanted: Wanted) -> str:
    return f"""
        SELECT b.sample_id FROM concur_sample_search_code
        CROSS JOIN concur_sample_search m ON m.id = concur_sample_search_code.rowid
        CROSS JOIN datasets_app_samplebody b ON b.sample_id = m.sample_id
        WHERE concur_sample_search_code MATCH %s AND {sqlite_holds("b.kernel_code", wanted)}
        UNION SELECT s.id FROM concur_task_search_code
        CROSS JOIN concur_task_search m ON m.id = concur_task_search_code.rowid
        CROSS JOIN datasets_app_taskbody p ON p.task_id = m.task_id
        CROSS JOIN datasets_app_sample s ON s.task_id = p.task_id
        WHERE concur_task_search_code MATCH %s AND {sqlite_holds("p.pytorch_code", wanted)}"""  # noqa: S608


def postgres_select(wanted: Wanted) -> str:
    return f"""
        SELECT b.sample_id FROM concur_sample_search m JOIN datasets_app_samplebody b ON b.sample_id = m.sample_id
        WHERE m.grams @> %s::integer[] AND {postgres_holds("b.kernel_code", wanted)}
        UNION SELECT s.id FROM concur_task_search m JOIN datasets_app_taskbody p ON p.task_id = m.task_id
        JOIN datasets_app_sample s ON s.task_id = p.task_id
        WHERE m.grams @> %s::integer[] AND {postgres_holds("p.pytorch_code", wanted)}"""  # noqa: S608


# --- Within a time limit ---------------------------------------------------------------------------------------


def numbers_holding(wanted: Wanted, most: int, seconds: float) -> tuple[list[int], bool]:
    """Return the numbers (db.facet_index) of the samples that contain it, and whether those are complete.

    At most `most` numbers, found within `seconds`; on SQLite the newest come first.
    """
    if connection.vendor == "postgresql":
        return postgres_numbers(wanted, most, seconds)
    limit = WorkLimit(seconds)
    numbers: list[int] = []
    for candidates in sqlite_candidates(wanted):
        numbers += [number for number, holds in candidates if holds]
        if len(numbers) >= most or limit.is_over:
            return numbers[:most], False
    return numbers, True


def sqlite_candidates(wanted: Wanted) -> Iterator[list[tuple[int, bool]]]:
    """Yield batches of (number, whether it contains it): SQLite searches as rows are fetched."""
    own = f"""
        SELECT rowid, (SELECT {sqlite_holds("b.kernel_code", wanted)} FROM concur_sample_search m
            JOIN datasets_app_samplebody b ON b.sample_id = m.sample_id WHERE m.id = c.rowid)
        FROM concur_sample_search_code c WHERE concur_sample_search_code MATCH %s ORDER BY rowid DESC"""  # noqa: S608
    of_task = f"""
        SELECT n.id, 1 FROM concur_task_search_code CROSS JOIN concur_task_search m
            ON m.id = concur_task_search_code.rowid
        CROSS JOIN datasets_app_taskbody p ON p.task_id = m.task_id AND {sqlite_holds("p.pytorch_code", wanted)}
        CROSS JOIN datasets_app_sample s ON s.task_id = p.task_id
        CROSS JOIN concur_sample_search n ON n.sample_id = s.id
        WHERE concur_task_search_code MATCH %s"""  # noqa: S608
    for sql in (own, of_task):
        with connection.cursor() as cursor:
            cursor.execute(sql, [wanted.needle, sqlite_match(wanted)])
            while some := cursor.fetchmany(AT_ONCE):
                yield some


def postgres_numbers(wanted: Wanted, most: int, seconds: float) -> tuple[list[int], bool]:
    """Return the numbers; a list that was cut short ends with a null."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM concur_numbers_with_code(%s::integer[], %s, %s, %s, %s)",
            [postgres_grams(wanted), wanted.needle, wanted.any_case, most, min(seconds, math.inf)],
        )
        numbers = [number for (number,) in cursor.fetchall()]
    return (numbers[:-1], False) if numbers and numbers[-1] is None else (numbers, True)


# --- Row by row ----------------------------------------------------------------------------------------------------


@UUIDField.register_lookup
class HoldsCode(Lookup):
    """`pk__holds_code=Wanted(...)` of a sample: tests each row in the list's order, for substrings of many rows.

    `pk__in=matching_code(...)` finds the same rows and is faster for rare substrings.
    """

    lookup_name = "holds_code"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return self.held(compiler, sqlite_holds)

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the condition as subqueries that cannot be flattened, or the planner would read every text."""
        return self.held(compiler, postgres_holds)

    def held(self, compiler: Any, holds: Any) -> tuple[str, tuple[Any, ...]]:
        row, row_params = self.process_lhs(compiler, compiler.connection)
        kernel, program = holds("b.kernel_code", self.rhs), holds("p.pytorch_code", self.rhs)
        sql = f"""(coalesce((SELECT {kernel} FROM datasets_app_samplebody b WHERE b.sample_id = {row}), false)
            OR coalesce((SELECT {program} FROM datasets_app_sample o
                JOIN datasets_app_taskbody p ON p.task_id = o.task_id WHERE o.id = {row}), false))"""  # noqa: S608
        needle = self.rhs.needle
        return sql, (needle, *row_params, needle, *row_params)
