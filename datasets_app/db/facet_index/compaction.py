"""Merges dirty rows into the blocks. Code that changes many samples calls it; the sweeper does the rest."""

from __future__ import annotations

import secrets
from itertools import groupby

from django.db import connection, transaction

from datasets_app.db.facet_index import facets
from datasets_app.db.facet_index.rows import among, between, block_of, select
from datasets_app.db.facet_index.sets import ALL, BLOCK_BYTES, BLOCK_ROWS, Block, bits_at

COMPACTION_LOCK = 0x636F6E64  # differs from every other advisory lock of the project
AT_ONCE = 2000  # dirty rows per transaction: a tenth of a second
COMPACT_FROM = 1000  # fewer dirty rows cost readers less than a compaction costs


def compact_if_due() -> int:
    """Compact once if enough rows are dirty. Return how many were merged."""
    waiting = select(f"SELECT count(*) FROM (SELECT 1 FROM concur_facet_dirty LIMIT {COMPACT_FROM}) AS few")  # noqa: S608
    return compact() if waiting[0][0] >= COMPACT_FROM else 0


def compact_backlog(most_rounds: int = 25) -> int:
    """Compact until few rows are dirty, at most `most_rounds` times. Return how many were merged."""
    folded = 0
    for _ in range(most_rounds):
        if not (now := compact_if_due()):
            break
        folded += now
    return folded


def compact(most: int = AT_ONCE) -> int:
    """Merge the oldest dirty rows into their blocks, in one transaction. Return how many; 0 if another process is
    compacting.

    They are removed from the log before the samples are read: a sample that changes meanwhile is in the log again when
    its change becomes visible.
    """
    with transaction.atomic():
        if not alone():
            return 0
        dirty = select(f"SELECT id, number FROM concur_facet_dirty ORDER BY id LIMIT {int(most)}")  # noqa: S608
        if not dirty:
            return 0
        execute(f"DELETE FROM concur_facet_dirty WHERE id {among(pk for pk, _ in dirty)}")  # noqa: S608
        numbers = sorted({number for _, number in dirty})
        for block, in_block in groupby(numbers, key=lambda number: number // BLOCK_ROWS):
            compact_block(block, list(in_block))
        return len(dirty)


def alone() -> bool:
    """Return whether no other process compacts. SQLite has a single writer anyway."""
    if connection.vendor != "postgresql":
        return True
    return bool(select(f"SELECT pg_try_advisory_xact_lock({COMPACTION_LOCK})")[0][0])


def compact_block(block: int, numbers: list[int]) -> None:
    places = {number: number % BLOCK_ROWS for number in numbers}
    fresh = block_of(among(numbers), places)
    old = stored(block)
    mask = bits_at(places.values())
    keys = {(facet, value) for facet, value, _ in (*old.items(), *fresh.items())}
    write(block, old, {key: merged(old, fresh, key, mask) for key in keys})


def merged(old: Block, fresh: Block, key: tuple[str, str], mask: int) -> int:
    facet, value = key
    return old.values_of(facet).get(value, 0) & ~mask | fresh.values_of(facet).get(value, 0)


def stored(block: int) -> Block:
    facets_of_block: dict[str, dict[str, int]] = {}
    for facet, value, bits in select(
        f"SELECT facet, value, bits FROM concur_facet_bits WHERE block = {int(block)}"  # noqa: S608
    ):
        facets_of_block.setdefault(facet, {})[value] = int.from_bytes(bits, "little")
    return Block(facets_of_block)


def write(block: int, old: Block, new: dict[tuple[str, str], int]) -> None:
    """Store the values whose bits differ, and give the block a new version."""
    changed = {key: bits for key, bits in new.items() if bits != old.values_of(key[0]).get(key[1], 0)}
    filled = [(block, *key, packed(bits)) for key, bits in changed.items() if bits]
    gone = [(block, *key) for key, bits in changed.items() if not bits]
    with connection.cursor() as cursor:
        if gone:
            cursor.executemany(
                "DELETE FROM concur_facet_bits WHERE block = %s AND facet = %s AND value = %s", gone
            )
        if filled:
            cursor.executemany(
                "INSERT INTO concur_facet_bits(block, facet, value, bits) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT (block, facet, value) DO UPDATE SET bits = EXCLUDED.bits",
                filled,
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
    """Build every block again, after the set of facets changed or rows changed without a trigger."""
    with transaction.atomic():
        for table in ("dirty", "bits", "block", "signature"):
            execute(f"DELETE FROM concur_facet_{table}")  # noqa: S608
        highest = select("SELECT coalesce(max(number), 0) FROM concur_sample_number")[0][0]
        for block in range(highest // BLOCK_ROWS + 1):
            low = block * BLOCK_ROWS
            places = {low + at: at for at in range(BLOCK_ROWS)}
            content = block_of(between(low, low + BLOCK_ROWS - 1), places)
            if content.all:
                write(block, Block(), {(facet, value): bits for facet, value, bits in content.items()})
        execute(f"INSERT INTO concur_facet_signature VALUES ('{facets.signature()}')")  # noqa: S608


def is_current() -> bool:
    """Return whether the blocks were built for the facets that are registered now."""
    return select("SELECT signature FROM concur_facet_signature") == [(facets.signature(),)]


def count_all() -> int:
    """Return how many samples the blocks hold, dirty rows left out."""
    rows = select(f"SELECT bits FROM concur_facet_bits WHERE facet = '{ALL}'")  # noqa: S608
    return sum(int.from_bytes(bits, "little").bit_count() for (bits,) in rows)
