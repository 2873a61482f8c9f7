# ruff: noqa: S608  every statement here is a constant
"""The tables of the facet index and the triggers that record dirty rows, with the same names on both databases.

concur_sample_number     number, sample_id          on SQLite a view: full-text search numbers the samples already
concur_facet_dirty       id, number, salt           dirty rows: samples that changed since their block was built; may
                                                    repeat. The sum of the salts identifies a set of them
concur_facet_block       block, version             the version changes whenever the block is written
concur_facet_bits        block, facet, value, bits  one row per value
concur_facet_signature   signature                  the facets that the blocks were built for
"""

import re

from django.db.backends.base.base import BaseDatabaseWrapper

from datasets_app.db.facet_index.facets import Touch, touched

NUMBERS_OF = "INSERT INTO concur_facet_dirty(number) SELECT number FROM concur_sample_number WHERE sample_id IN ({ids})"
SHARED = [
    "CREATE TABLE concur_facet_block (block integer PRIMARY KEY, version varchar(32) NOT NULL)",
    "CREATE TABLE concur_facet_signature (signature varchar(32) NOT NULL)",
]
SQLITE = [
    "CREATE VIEW concur_sample_number AS SELECT id AS number, sample_id FROM concur_sample_search",
    """CREATE TABLE concur_facet_dirty (id integer PRIMARY KEY AUTOINCREMENT, number integer NOT NULL,
       salt integer NOT NULL DEFAULT (abs(random()) % 2147483648))""",
    """CREATE TABLE concur_facet_bits (block integer NOT NULL, facet text NOT NULL, value text NOT NULL,
       bits blob NOT NULL, PRIMARY KEY (block, facet, value)) WITHOUT ROWID""",
]
POSTGRES = [
    "CREATE TABLE concur_sample_number (number bigserial PRIMARY KEY, sample_id uuid NOT NULL UNIQUE)",
    "INSERT INTO concur_sample_number(sample_id) SELECT id FROM datasets_app_sample ORDER BY created_at, id",
    """CREATE TABLE concur_facet_dirty (id bigserial PRIMARY KEY, number bigint NOT NULL,
       salt bigint NOT NULL DEFAULT floor(random() * 2147483648)::bigint)""",
    """CREATE TABLE concur_facet_bits (block integer NOT NULL, facet text NOT NULL, value text NOT NULL,
       bits bytea NOT NULL, PRIMARY KEY (block, facet, value))""",
    """CREATE FUNCTION concur_sample_in() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
           WITH fresh AS (INSERT INTO concur_sample_number(sample_id)
                          SELECT id FROM added ORDER BY created_at, id RETURNING number)
           INSERT INTO concur_facet_dirty(number) SELECT number FROM fresh;
           RETURN NULL;
       END $$""",
    """CREATE FUNCTION concur_sample_changed() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
           INSERT INTO concur_facet_dirty(number)
           SELECT n.number FROM changed JOIN concur_sample_number n ON n.sample_id = changed.id;
           RETURN NULL;
       END $$""",
    """CREATE FUNCTION concur_sample_out() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
           WITH gone AS (DELETE FROM concur_sample_number n USING removed
                         WHERE n.sample_id = removed.id RETURNING n.number)
           INSERT INTO concur_facet_dirty(number) SELECT number FROM gone;
           RETURN NULL;
       END $$""",
    """CREATE FUNCTION concur_sample_all_out() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
           TRUNCATE concur_sample_number, concur_facet_dirty, concur_facet_block, concur_facet_bits;
           RETURN NULL;
       END $$""",
]
DROP_SHARED = [f"DROP TABLE concur_facet_{name}" for name in ("bits", "dirty", "block", "signature")]
DROP_POSTGRES = [
    "DROP TABLE concur_sample_number",
    *(f"DROP FUNCTION concur_sample_{name}()" for name in ("in", "changed", "out", "all_out")),
]


def needed() -> list[str]:
    """Return the tables that must exist before the triggers: these, and those that a facet is read from."""
    return ["concur_sample_search", "concur_facet_dirty", *(touch.table for touch in touched())]


def create_statements(vendor: str) -> list[str]:
    return [*SHARED, *(POSTGRES if vendor == "postgresql" else SQLITE)]


def drop_statements(vendor: str) -> list[str]:
    return [*DROP_SHARED, *(DROP_POSTGRES if vendor == "postgresql" else ["DROP VIEW concur_sample_number"])]


def missing_numbers(vendor: str) -> list[str]:
    """Return statements that number rows which were written without triggers. On SQLite full-text search does this."""
    if vendor != "postgresql":
        return []
    return [
        """DELETE FROM concur_sample_number n
           WHERE NOT EXISTS (SELECT FROM datasets_app_sample s WHERE s.id = n.sample_id)""",
        """INSERT INTO concur_sample_number(sample_id) SELECT s.id FROM datasets_app_sample s WHERE NOT EXISTS
           (SELECT FROM concur_sample_number n WHERE n.sample_id = s.id) ORDER BY s.created_at, s.id""",
    ]


# --- Triggers ------------------------------------------------------------------------------------------------

PREFIX = "concur_touch_"


def trigger_statements(vendor: str) -> list[str]:
    if vendor == "postgresql":
        return [*POSTGRES_OWN, *(sql for touch in touched() for sql in postgres_touch(touch))]
    return [*SQLITE_OWN, *(sql for touch in touched() for sql in sqlite_touch(touch))]


def events(touch: Touch) -> list[tuple[str, str, str]]:
    """Return (short name, event, row) of each trigger; an update may move a row from one sample to another."""
    of = f" OF {touch.columns}" if touch.columns else ""
    return [
        ("in", "INSERT", "NEW"),
        ("from", f"UPDATE{of}", "OLD"),
        ("to", f"UPDATE{of}", "NEW"),
        ("out", "DELETE", "OLD"),
    ]


def trigger_name(touch: Touch, kind: str) -> str:
    return f"{PREFIX}{re.sub('^datasets_app_', '', touch.table)}_{kind}"


def sqlite_touch(touch: Touch) -> list[str]:
    return [
        f"CREATE TRIGGER IF NOT EXISTS {trigger_name(touch, kind)} AFTER {event} ON {touch.table} FOR EACH ROW "
        f"BEGIN {NUMBERS_OF.format(ids=touch.samples.format(row=row))}; END"
        for kind, event, row in events(touch)
    ]


def postgres_touch(touch: Touch) -> list[str]:
    statements = []
    for kind, event, row in events(touch):
        name = trigger_name(touch, kind)
        body = NUMBERS_OF.format(ids=touch.samples.format(row=row))
        statements.append(
            f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN {body}; RETURN NULL; END $$"
        )
        statements.append(
            f"CREATE OR REPLACE TRIGGER {name} AFTER {event} ON {touch.table} "
            f"FOR EACH ROW EXECUTE FUNCTION {name}()"
        )
    return statements


# On SQLite a sample gets the number that full-text search also uses when its row is stored.
SQLITE_OWN = [
    """CREATE TRIGGER IF NOT EXISTS concur_touch_own_in AFTER INSERT ON datasets_app_sample FOR EACH ROW BEGIN
       INSERT INTO concur_sample_search(sample_id) VALUES (NEW.id);
       INSERT INTO concur_facet_dirty(number) VALUES (last_insert_rowid()); END""",
    f"""CREATE TRIGGER IF NOT EXISTS concur_touch_own_changed AFTER UPDATE ON datasets_app_sample FOR EACH ROW BEGIN
        {NUMBERS_OF.format(ids="NEW.id")}; END""",
    f"""CREATE TRIGGER IF NOT EXISTS concur_touch_own_out AFTER DELETE ON datasets_app_sample FOR EACH ROW BEGIN
        {NUMBERS_OF.format(ids="OLD.id")}; DELETE FROM concur_sample_search WHERE sample_id = OLD.id; END""",
]
POSTGRES_OWN = [
    f"""CREATE OR REPLACE TRIGGER concur_touch_own_{kind} AFTER {event} ON datasets_app_sample {referencing}
        FOR EACH STATEMENT EXECUTE FUNCTION concur_sample_{kind}()"""
    for kind, event, referencing in (
        ("in", "INSERT", "REFERENCING NEW TABLE AS added"),
        ("changed", "UPDATE", "REFERENCING NEW TABLE AS changed"),
        ("out", "DELETE", "REFERENCING OLD TABLE AS removed"),
        ("all_out", "TRUNCATE", ""),
    )
]


def drop_trigger_statements(connection: BaseDatabaseWrapper) -> list[str]:
    """Return statements that drop the existing triggers, including those of facets that are no longer registered."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
                "WHERE t.tgname LIKE 'concur\\_touch\\_%' AND NOT t.tgisinternal"
            )
            return [f"DROP TRIGGER {name} ON {table}" for name, table in cursor.fetchall()]
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'concur\\_touch\\_%' ESCAPE '\\'"
        )
        return [f"DROP TRIGGER {name}" for (name,) in cursor.fetchall()]
