"""Works the marks into the blocks. Whoever writes much calls it; the sweeper does for all others."""

from __future__ import annotations

import secrets
from itertools import groupby

from django.db import connection, transaction

from datasets_app.db.facet_index import facets
from datasets_app.db.facet_index.rows import among, between, block_of, select
from datasets_app.db.facet_index.sets import ALL, BLOCK_BYTES, BLOCK_ROWS, Block, bits_at

FOLD_LOCK = 0x636F6E64  # any number that no other lock of ours has
AT_ONCE = 2000  # marks a transaction: a tenth of a second
FOLD_FROM = 1000  # fewer marks cost readers less than folding costs


def fold_if_many() -> int:
    """Fold once where that is worth it; the number of marks that were worked in."""
    waiting = select(f"SELECT count(*) FROM (SELECT 1 FROM concur_facet_mark LIMIT {FOLD_FROM}) AS few")  # noqa: S608
    return fold() if waiting[0][0] >= FOLD_FROM else 0


def fold_what_waits(most_rounds: int = 25) -> int:
    """As often as it is worth it, within bounds: after a verb over many rows. How many marks were worked in."""
    folded = 0
    for _ in range(most_rounds):
        if not (now := fold_if_many()):
            break
        folded += now
    return folded


def fold(most: int = AT_ONCE) -> int:
    """Work the oldest marks into their blocks, in one transaction; how many. None if another does so now: 0.

    Marks are taken away before the rows are read: what changes meanwhile has left a mark of its own by the time
    that anybody can see it.
    """
    with transaction.atomic():
        if not alone():
            return 0
        marks = select(f"SELECT id, number FROM concur_facet_mark ORDER BY id LIMIT {int(most)}")  # noqa: S608
        if not marks:
            return 0
        execute(f"DELETE FROM concur_facet_mark WHERE id {among(pk for pk, _ in marks)}")  # noqa: S608
        numbers = sorted({number for _, number in marks})
        for block, found in groupby(numbers, key=lambda number: number // BLOCK_ROWS):
            fold_block(block, list(found))
        return len(marks)


def alone() -> bool:
    """SQLite has one writer anyway."""
    if connection.vendor != "postgresql":
        return True
    return bool(select(f"SELECT pg_try_advisory_xact_lock({FOLD_LOCK})")[0][0])


def fold_block(block: int, numbers: list[int]) -> None:
    places = {number: number % BLOCK_ROWS for number in numbers}
    fresh = block_of(among(numbers), places)
    old = stored(block)
    mask = bits_at(places.values())
    keys = {(facet, cell) for facet, cell, _ in (*old.items(), *fresh.items())}
    write(block, old, {key: merged(old, fresh, key, mask) for key in keys})


def merged(old: Block, fresh: Block, key: tuple[str, str], mask: int) -> int:
    facet, cell = key
    return old.cells(facet).get(cell, 0) & ~mask | fresh.cells(facet).get(cell, 0)


def stored(block: int) -> Block:
    found: dict[str, dict[str, int]] = {}
    for facet, cell, bits in select(
        f"SELECT facet, cell, bits FROM concur_facet_bits WHERE block = {int(block)}"  # noqa: S608
    ):
        found.setdefault(facet, {})[cell] = int.from_bytes(bits, "little")
    return Block(found)


def write(block: int, old: Block, new: dict[tuple[str, str], int]) -> None:
    """Store the cells that differ, and say that the block is another one now."""
    changed = {key: bits for key, bits in new.items() if bits != old.cells(key[0]).get(key[1], 0)}
    kept = [(block, *key, packed(bits)) for key, bits in changed.items() if bits]
    gone = [(block, *key) for key, bits in changed.items() if not bits]
    with connection.cursor() as cursor:
        if gone:
            cursor.executemany(
                "DELETE FROM concur_facet_bits WHERE block = %s AND facet = %s AND cell = %s", gone
            )
        if kept:
            cursor.executemany(
                "INSERT INTO concur_facet_bits(block, facet, cell, bits) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT (block, facet, cell) DO UPDATE SET bits = EXCLUDED.bits",
                kept,
            )
        cursor.execute(
            "INSERT INTO concur_facet_block(block, version) VALUES (%s, %s) "
            "ON CONFLICT (block) DO UPDATE SET version = EXCLUDED.version",
            [block, secrets.token_hex(12)],
        )


def packed(bits: int) -> bytes:
    return bits.to_bytes(BLOCK_BYTES, "little").rstrip(b"\0")


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def rebuild() -> None:
    """Make every block anew, for facets that were not held before or rows that changed without a mark."""
    with transaction.atomic():
        for table in ("mark", "bits", "block", "signature"):
            execute(f"DELETE FROM concur_facet_{table}")  # noqa: S608
        highest = select("SELECT coalesce(max(number), 0) FROM concur_sample_number")[0][0]
        for block in range(highest // BLOCK_ROWS + 1):
            low = block * BLOCK_ROWS
            places = {low + at: at for at in range(BLOCK_ROWS)}
            found = block_of(between(low, low + BLOCK_ROWS - 1), places)
            if found.all:
                write(block, Block(), {(facet, cell): bits for facet, cell, bits in found.items()})
        execute(f"INSERT INTO concur_facet_signature VALUES ('{facets.signature()}')")  # noqa: S608


def is_current() -> bool:
    """Whether the blocks hold what is registered now."""
    return select("SELECT signature FROM concur_facet_signature") == [(facets.signature(),)]


def count_all() -> int:
    """How many samples the blocks hold, marks left aside."""
    rows = select(f"SELECT bits FROM concur_facet_bits WHERE facet = '{ALL}'")  # noqa: S608
    return sum(int.from_bytes(bits, "little").bit_count() for (bits,) in rows)
