"""Any substring of a kernel or of its task's program: candidates by an index of trigrams, each held against the text.

The index knows letters without their case, so that both ways of asking have the same candidates. It is never believed:
a text that holds all the trigrams need not hold them one after the other. What is kept is in `sqlite` and `postgres`:
the trigrams of the first 300,000 characters of a text.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Lookup, UUIDField
from django.db.models.expressions import RawSQL

SHORTEST = 3  # characters: a trigram
MOST_GRAMS = 24  # that are asked for: more of them rule out little
AT_ONCE = 200  # candidates between two looks at the clock


@dataclass(frozen=True)
class Wanted:
    """A substring; `any_case`: the case of ASCII letters does not matter."""

    text: str
    any_case: bool = False

    @property
    def needle(self) -> str:
        return ascii_lower(self.text) if self.any_case else self.text


def ascii_lower(text: str) -> str:
    """As both databases do it here: A to Z and nothing else."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def spread(grams: list[Any]) -> list[Any]:
    """At most so many of them, from one end of the substring to the other."""
    if len(grams) <= MOST_GRAMS:
        return grams
    return [grams[at * (len(grams) - 1) // (MOST_GRAMS - 1)] for at in range(MOST_GRAMS)]


# --- What the databases are asked -------------------------------------------------------------------------------


def sqlite_match(wanted: Wanted) -> str:
    """An FTS5 expression: each trigram in quotes, so that operators in it are plain characters."""
    grams = [wanted.text[at : at + 3] for at in range(len(wanted.text) - 2)]
    return " AND ".join('"{}"'.format(gram.replace('"', '""')) for gram in dict.fromkeys(spread(grams)))


def postgres_grams(wanted: Wanted) -> list[int]:
    """Three bytes of UTF-8 as one number, as concur_code_grams() makes them of the texts."""
    data = ascii_lower(wanted.text).encode()
    grams = [data[at] << 16 | data[at + 1] << 8 | data[at + 2] for at in range(len(data) - 2)]
    return sorted(set(spread(grams)))


def sqlite_holds(column: str, wanted: Wanted) -> str:
    """With the needle as its one parameter. lower() of SQLite knows ASCII alone."""
    return f"instr(lower({column}), %s) > 0" if wanted.any_case else f"instr({column}, %s) > 0"


def postgres_holds(column: str, wanted: Wanted) -> str:
    text = f'lower({column} COLLATE "C")' if wanted.any_case else column
    return f"strpos({text}, %s) > 0"


def matching_code(vendor: str, wanted: Wanted) -> RawSQL:
    """Ids of the samples whose kernel or program holds it, for `pk__in`: the whole answer, however long it takes."""
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


# --- As many as time allows ---------------------------------------------------------------------------------------


def numbers_holding(wanted: Wanted, most: int, seconds: float) -> tuple[list[int], bool]:
    """Numbers (db.facet_index) of the samples that hold it, and whether those are all.

    At most so many, and as many as are found in so many seconds; on SQLite the newest come first.
    """
    if connection.vendor == "postgresql":
        return postgres_numbers(wanted, most, seconds)
    end = time.monotonic() + seconds
    found: list[int] = []
    for candidates in sqlite_candidates(wanted):
        found += [number for number, holds in candidates if holds]
        if len(found) >= most or time.monotonic() > end:
            return found[:most], False
    return found, True


def sqlite_candidates(wanted: Wanted) -> Iterator[list[tuple[int, bool]]]:
    """(number, whether it holds it), some at a time: SQLite looks for a row when it is asked for."""
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
    """A list that is cut short ends with a null."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM concur_numbers_with_code(%s::integer[], %s, %s, %s, %s)",
            [postgres_grams(wanted), wanted.needle, wanted.any_case, most, min(seconds, math.inf)],
        )
        found = [number for (number,) in cursor.fetchall()]
    return (found[:-1], False) if found and found[-1] is None else (found, True)


# --- Row by row ----------------------------------------------------------------------------------------------------


@UUIDField.register_lookup
class HoldsCode(Lookup):
    """`pk__holds_code=Wanted(...)` of a sample: asked of each row in the list's order, for what many rows hold.

    `pk__in=matching_code(...)` finds the same rows and is the better way for what is rare.
    """

    lookup_name = "holds_code"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return self.held(compiler, sqlite_holds)

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """In subqueries that cannot be flattened, or the planner would read every text."""
        return self.held(compiler, postgres_holds)

    def held(self, compiler: Any, holds: Any) -> tuple[str, tuple[Any, ...]]:
        row, row_params = self.process_lhs(compiler, compiler.connection)
        kernel, program = holds("b.kernel_code", self.rhs), holds("p.pytorch_code", self.rhs)
        sql = f"""(coalesce((SELECT {kernel} FROM datasets_app_samplebody b WHERE b.sample_id = {row}), false)
            OR coalesce((SELECT {program} FROM datasets_app_sample o
                JOIN datasets_app_taskbody p ON p.task_id = o.task_id WHERE o.id = {row}), false))"""  # noqa: S608
        needle = self.rhs.needle
        return sql, (needle, *row_params, needle, *row_params)
