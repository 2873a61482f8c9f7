# ruff: noqa: S608  every statement here is a constant
"""PostgreSQL: a tsvector and the trigrams of the code per row, each under a GIN index, built after the row is stored.

Parsing a row of 12 KB takes longer than storing it. A statement that writes many texts therefore only puts their ids
into `concur_text_pending`, and `pending` indexes them in the background; the texts of small statements are indexed at
once. A row in that table is also the lock on its text: writers and indexers wait for each other there, so that no
older text can overwrite a newer one.

The default parser recognises hosts, paths and signed numbers, and splits words at underscores; programs need plain
words. Punctuation therefore becomes spaces, and the underscore a letter that nobody uses, both in texts and in
queries. A tsvector holds at most 1 MB: of a text that needs more, the first part is indexed.
"""

from datasets_app.db.text_index.limits import CODE_CHARS, WORD_CHARS

FEW_TEXTS, FEW_BYTES = 20, 200_000  # limits of one statement whose texts are indexed with it, in some 40 ms

PUNCTUATION = r"""!"#$%&'()*+,-./:;<=>?@[\]^`{|}~""" + "“”‘’«»–—…·•×÷→←⇒≤≥≠≈±°\u00a0\u200b\u200e\u200f\ufeff"
UNDERSCORE_AS = "ǀ"
ONE_OR_MORE = "[" + "".join(f"\\{sign}" if sign in r"\]^-[" else sign for sign in PUNCTUATION) + "]+"

WORDS = [
    # translate() would search the whole list for every letter, nine times the work
    f"""CREATE FUNCTION concur_words(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT replace(regexp_replace($1 COLLATE "C", '{ONE_OR_MORE.replace("'", "''")}', ' ', 'g'),
                       '_', '{UNDERSCORE_AS}') $$""",
    """CREATE FUNCTION concur_part(code text, weight "char", longest integer)
       RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
       BEGIN
           RETURN setweight(to_tsvector('simple', concur_words(left(code, longest))), weight);
       EXCEPTION WHEN program_limit_exceeded THEN
           RETURN concur_part(code, weight, longest / 4);
       END $$""",
    """CREATE FUNCTION concur_document(program tsvector, trace text, kernel text, longest integer)
       RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
       BEGIN
           RETURN program || concur_part(trace, 'B', longest) || concur_part(kernel, 'C', longest);
       EXCEPTION WHEN program_limit_exceeded THEN
           RETURN concur_document(program, trace, kernel, longest / 4);
       END $$""",
    # Substrings of code (see db.text_index.code): three bytes are one number. pg_trgm would ignore
    # everything but
    # letters and digits.
    f"""CREATE FUNCTION concur_code_grams(code text) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
       DECLARE
           bytes bytea := convert_to(lower(left(code, {CODE_CHARS}) COLLATE "C"), 'UTF8');
       BEGIN
           RETURN ARRAY(
               SELECT DISTINCT get_byte(bytes, at) * 65536 + get_byte(bytes, at + 1) * 256 + get_byte(bytes, at + 2)
               FROM generate_series(0, length(bytes) - 3) AS at);
       END $$""",
]
TABLES = [
    "CREATE TABLE concur_text_pending (id uuid PRIMARY KEY)",
    """CREATE TABLE concur_sample_search (
           sample_id uuid PRIMARY KEY, number bigint NOT NULL, document tsvector NOT NULL, grams integer[] NOT NULL)""",
    "CREATE TABLE concur_task_search (task_id uuid PRIMARY KEY, document tsvector NOT NULL, grams integer[] NOT NULL)",
    *(
        statement
        for kind in ("sample", "task")
        for statement in (
            f"CREATE INDEX concur_{kind}_search_words ON concur_{kind}_search USING gin (document)",
            f"CREATE INDEX concur_{kind}_search_code ON concur_{kind}_search USING gin (grams)",
            # Statistics would be computed from many texts, and compression does not make these smaller.
            f"""ALTER TABLE concur_{kind}_search ALTER grams SET STATISTICS 0, ALTER grams SET STORAGE EXTERNAL,
                ALTER document SET STORAGE EXTERNAL""",
        )
    ),
]
INDEXING = [
    f"""CREATE FUNCTION concur_index_texts(wanted uuid[]) RETURNS integer LANGUAGE plpgsql AS $$
        DECLARE
            taken uuid[];
        BEGIN
            WITH gone AS (DELETE FROM concur_text_pending WHERE id = ANY(wanted) RETURNING id)
            SELECT coalesce(array_agg(id), '{{}}') INTO taken FROM gone;
            INSERT INTO concur_task_search(task_id, document, grams)
            SELECT p.task_id, concur_part(p.pytorch_code, 'A', {WORD_CHARS}), concur_code_grams(p.pytorch_code)
            FROM datasets_app_taskbody p WHERE p.task_id = ANY(taken)
            ON CONFLICT (task_id) DO UPDATE SET document = EXCLUDED.document, grams = EXCLUDED.grams;
            INSERT INTO concur_sample_search(sample_id, number, document, grams)
            SELECT b.sample_id, n.number,
                   concur_document(coalesce(t.document, concur_part(p.pytorch_code, 'A', {WORD_CHARS}), ''),
                                   b.reasoning, b.kernel_code, {WORD_CHARS}),
                   concur_code_grams(b.kernel_code)
            FROM datasets_app_samplebody b
            JOIN datasets_app_sample s ON s.id = b.sample_id
            JOIN concur_sample_number n ON n.sample_id = b.sample_id
            LEFT JOIN concur_task_search t ON t.task_id = s.task_id
            LEFT JOIN datasets_app_taskbody p ON p.task_id = s.task_id
            WHERE b.sample_id = ANY(taken)
            ON CONFLICT (sample_id) DO UPDATE
            SET number = EXCLUDED.number, document = EXCLUDED.document, grams = EXCLUDED.grams;
            RETURN cardinality(taken);
        END $$""",
    # Index entries of changed texts are deleted at once; the dirty row makes its sample be counted again.
    f"""CREATE FUNCTION concur_texts_stored(stored uuid[], bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO concur_text_pending SELECT DISTINCT unnest(stored) ORDER BY 1 ON CONFLICT DO NOTHING;
            DELETE FROM concur_task_search WHERE task_id = ANY(stored);
            WITH gone AS (DELETE FROM concur_sample_search WHERE sample_id = ANY(stored) RETURNING number)
            INSERT INTO concur_facet_dirty(number) SELECT number FROM gone;
            IF cardinality(stored) <= {FEW_TEXTS} AND bytes <= {FEW_BYTES} THEN
                PERFORM concur_index_texts(stored);
            END IF;
        END $$""",
]
SEARCHING = [
    # The test for a set of words, in a form that keeps the planner from reading every document if most of
    # them match.
    """CREATE FUNCTION concur_numbers_with(asked tsquery, most integer, seconds double precision)
       RETURNS SETOF bigint LANGUAGE plpgsql VOLATILE SET enable_seqscan = off SET work_mem = '32MB' AS $$
       DECLARE
           found bigint;
           seen integer := 0;
           ending timestamptz := clock_timestamp() + seconds * interval '1 second';
       BEGIN
           FOR found IN SELECT m.number FROM concur_sample_search m WHERE m.document @@ asked LIMIT most LOOP
               RETURN NEXT found;
               seen := seen + 1;
               IF seen % 1000 = 0 AND clock_timestamp() > ending THEN
                   RETURN NEXT NULL;
                   EXIT;
               END IF;
           END LOOP;
       END $$""",
    """CREATE FUNCTION concur_holds_code(code text, wanted text, any_case boolean) RETURNS boolean
       LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
       SELECT strpos(CASE WHEN any_case THEN lower(code COLLATE "C") ELSE code END, wanted) > 0 $$""",
    """CREATE FUNCTION concur_numbers_with_code(
           asked integer[], wanted text, any_case boolean, most integer, seconds double precision)
       RETURNS SETOF bigint LANGUAGE plpgsql VOLATILE SET work_mem = '32MB' SET jit = off
       SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
       DECLARE
           candidate record;
           seen integer := 0;
           found integer := 0;
           ending timestamptz := clock_timestamp() + seconds * interval '1 second';
       BEGIN
           FOR candidate IN
               SELECT m.number, concur_holds_code(b.kernel_code, wanted, any_case) AS holds
               FROM concur_sample_search m JOIN datasets_app_samplebody b ON b.sample_id = m.sample_id
               WHERE m.grams @> asked
               UNION ALL
               SELECT n.number, true FROM (
                   SELECT m.task_id FROM concur_task_search m JOIN datasets_app_taskbody p ON p.task_id = m.task_id
                   WHERE m.grams @> asked AND concur_holds_code(p.pytorch_code, wanted, any_case) OFFSET 0) AS t
               JOIN datasets_app_sample s ON s.task_id = t.task_id
               JOIN concur_sample_number n ON n.sample_id = s.id
           LOOP
               IF candidate.holds THEN
                   RETURN NEXT candidate.number;
                   found := found + 1;
               END IF;
               seen := seen + 1;
               IF found >= most OR seen % 100 = 0 AND clock_timestamp() > ending THEN
                   RETURN NEXT NULL;
                   EXIT;
               END IF;
           END LOOP;
       END $$""",
]
DROP = [
    "DROP FUNCTION concur_numbers_with_code(integer[], text, boolean, integer, double precision)",
    "DROP FUNCTION concur_holds_code(text, text, boolean)",
    "DROP FUNCTION concur_numbers_with(tsquery, integer, double precision)",
    "DROP FUNCTION concur_texts_stored(uuid[], bigint)",
    "DROP FUNCTION concur_index_texts(uuid[])",
    "DROP FUNCTION concur_code_grams(text)",
    "DROP FUNCTION concur_document(tsvector, text, text, integer)",
    'DROP FUNCTION concur_part(text, "char", integer)',
    "DROP FUNCTION concur_words(text)",
    "DROP TABLE concur_sample_search",
    "DROP TABLE concur_task_search",
    "DROP TABLE concur_text_pending",
]
MERGE_LESS: list[str] = []  # a GIN index has no parts to merge
CREATE_CODE: list[str] = []  # trigrams are a column beside the words
DROP_CODE: list[str] = []
LEARN_CODE: list[str] = []

# --- Triggers ----------------------------------------------------------------------------------------------------

TEXTS = {"sample": ("reasoning", "kernel_code"), "task": ("pytorch_code",)}
OTHER = {"sample": "task", "task": "sample"}
EVENTS = {
    "in": ("INSERT", "REFERENCING NEW TABLE AS added"),
    "changed": ("UPDATE", "REFERENCING OLD TABLE AS removed NEW TABLE AS added"),
    "out": ("DELETE", "REFERENCING OLD TABLE AS removed"),
    "all_out": ("TRUNCATE", ""),
}
# Programs are part of what their samples are found by. They are usually stored first; otherwise samples are
# read again.
OF_TASKS = """UNION ALL SELECT b.sample_id, octet_length(b.reasoning) + octet_length(b.kernel_code)
    FROM {rows} JOIN datasets_app_sample s ON s.task_id = a.task_id
    JOIN datasets_app_samplebody b ON b.sample_id = s.id{changed}"""


def stored(kind: str, rows: str, changed: str = "") -> str:
    """Return a call that passes the ids of the rows and the length of their texts."""
    length = " + ".join(f"octet_length(a.{text})" for text in TEXTS[kind])
    samples = OF_TASKS.format(rows=rows, changed=changed) if kind == "task" else ""
    return f"""PERFORM concur_texts_stored(array_agg(id), sum(bytes)) FROM (
        SELECT a.{kind}_id AS id, {length} AS bytes FROM {rows}{changed} {samples}) AS texts
        HAVING count(*) > 0"""


def body(kind: str, event: str) -> str:
    old, new = (", ".join(f"{row}.{text}" for text in TEXTS[kind]) for row in "ra")
    both = f"added a JOIN removed r ON r.{kind}_id = a.{kind}_id"
    other = OTHER[kind]
    return {
        "in": stored(kind, "added a"),
        "changed": stored(kind, both, f" WHERE ({old}) IS DISTINCT FROM ({new})"),
        "out": f"""DELETE FROM concur_text_pending WHERE id IN (SELECT {kind}_id FROM removed);
            DELETE FROM concur_{kind}_search WHERE {kind}_id IN (SELECT {kind}_id FROM removed)""",
        "all_out": f"""TRUNCATE concur_{kind}_search;
            DELETE FROM concur_text_pending WHERE id NOT IN (SELECT {other}_id FROM datasets_app_{other}body)""",
    }[event]


def trigger_function(kind: str, event: str) -> str:
    return f"""CREATE OR REPLACE FUNCTION concur_{kind}_text_{event}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN {body(kind, event)}; RETURN NULL; END $$"""


def trigger(kind: str, event: str) -> str:
    what, referencing = EVENTS[event]
    return f"""CREATE OR REPLACE TRIGGER concur_{kind}_text_{event} AFTER {what} ON datasets_app_{kind}body
        {referencing} FOR EACH STATEMENT EXECUTE FUNCTION concur_{kind}_text_{event}()"""


ALL = [(kind, event) for kind in TEXTS for event in EVENTS]
CREATE = [*WORDS, *TABLES, *INDEXING, *SEARCHING, *(trigger_function(*pair) for pair in ALL)]
DROP += [f"DROP FUNCTION concur_{kind}_text_{event}()" for kind, event in ALL]
CREATE_TRIGGERS = [trigger(*pair) for pair in ALL]
DROP_TRIGGERS = [
    f"""DO $$ BEGIN IF to_regclass('datasets_app_{kind}body') IS NOT NULL THEN
        DROP TRIGGER IF EXISTS concur_{kind}_text_{event} ON datasets_app_{kind}body; END IF; END $$"""
    for kind, event in ALL
]
NEEDED = ["concur_text_pending"]  # must exist before the triggers
INDEX_MISSING = [
    f"""INSERT INTO concur_text_pending SELECT b.{kind}_id FROM datasets_app_{kind}body b
        WHERE NOT EXISTS (SELECT FROM concur_{kind}_search m WHERE m.{kind}_id = b.{kind}_id)
        ON CONFLICT DO NOTHING"""
    for kind in TEXTS
]
INDEX_MISSING.append("SELECT concur_index_texts(ARRAY(SELECT id FROM concur_text_pending LIMIT 500))")
EMPTY = ["TRUNCATE concur_sample_search, concur_task_search"]
