"""PostgreSQL: a tsvector a row under a GIN index.

The default parser knows hosts, paths and numbers with signs, and cuts words at underscores; a program needs
plain words. So punctuation becomes spaces and the underscore a letter that nobody writes, in the texts and in
what is asked alike. A tsvector holds 1 MB at most: a longer text is indexed by its first part.
"""

PUNCTUATION = r"""!"#$%&()*+,-./:;<=>?@[\]^`{|}~""" + "“”‘’«»–—…·•×÷→←⇒≤≥≠≈±°\u00a0\u200b\u200e\u200f\ufeff"
UNDERSCORE_AS = "ǀ"
FROM = "_''" + PUNCTUATION  # the quote is doubled as SQL wants it
TO = UNDERSCORE_AS + " " * (len(PUNCTUATION) + 1)

FUNCTIONS = [
    f"""CREATE FUNCTION concur_words(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT translate($1, '{FROM}', '{TO}') $$""",
    """CREATE FUNCTION concur_document(program text, trace text, kernel text, longest integer)
       RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
       BEGIN
           RETURN setweight(to_tsvector('simple', concur_words(left(program, longest))), 'A')
               || setweight(to_tsvector('simple', concur_words(left(trace, longest))), 'B')
               || setweight(to_tsvector('simple', concur_words(left(kernel, longest))), 'C');
       EXCEPTION WHEN program_limit_exceeded THEN
           RETURN concur_document(program, trace, kernel, longest / 4);
       END $$""",
    """CREATE FUNCTION concur_learn_samples(task uuid, sample uuid) RETURNS void LANGUAGE sql AS $$
       INSERT INTO concur_sample_search(sample_id, document)
       SELECT s.id, concur_document(coalesce(p.pytorch_code, ''), b.reasoning, b.kernel_code, 2000000)
       FROM datasets_app_sample s
       JOIN datasets_app_samplebody b ON b.sample_id = s.id
       LEFT JOIN datasets_app_taskbody p ON p.task_id = s.task_id
       WHERE s.id = sample OR s.task_id = task
       ON CONFLICT (sample_id) DO UPDATE SET document = EXCLUDED.document $$""",
    """CREATE FUNCTION concur_learn_tasks(task uuid) RETURNS void LANGUAGE sql AS $$
       INSERT INTO concur_task_search(task_id, document)
       SELECT task_id, concur_document(pytorch_code, '', '', 2000000)
       FROM datasets_app_taskbody WHERE task_id = task
       ON CONFLICT (task_id) DO UPDATE SET document = EXCLUDED.document $$""",
    """CREATE FUNCTION concur_sample_text() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
           IF TG_OP = 'TRUNCATE' THEN TRUNCATE concur_sample_search;
           ELSIF TG_OP = 'DELETE' THEN DELETE FROM concur_sample_search WHERE sample_id = OLD.sample_id;
           ELSE PERFORM concur_learn_samples(NULL, NEW.sample_id);
           END IF;
           RETURN NULL;
       END $$""",
    """CREATE FUNCTION concur_task_text() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
           IF TG_OP = 'TRUNCATE' THEN TRUNCATE concur_task_search;
           ELSIF TG_OP = 'DELETE' THEN DELETE FROM concur_task_search WHERE task_id = OLD.task_id;
           ELSE
               PERFORM concur_learn_tasks(NEW.task_id);
               PERFORM concur_learn_samples(NEW.task_id, NULL);
           END IF;
           RETURN NULL;
       END $$""",
]
# Each document carries its sample's number (db.facet_index), which the counts go by; and how a set of words is
# asked for there: without the planner's wish to read every document where most of them match.
NUMBERED = [
    "ALTER TABLE concur_sample_search ADD COLUMN number bigint",
    """UPDATE concur_sample_search m SET number = n.number
       FROM concur_sample_number n WHERE n.sample_id = m.sample_id""",
    """CREATE OR REPLACE FUNCTION concur_learn_samples(task uuid, sample uuid) RETURNS void LANGUAGE sql AS $$
       INSERT INTO concur_sample_search(sample_id, number, document)
       SELECT s.id, n.number, concur_document(coalesce(p.pytorch_code, ''), b.reasoning, b.kernel_code, 2000000)
       FROM datasets_app_sample s
       JOIN concur_sample_number n ON n.sample_id = s.id
       JOIN datasets_app_samplebody b ON b.sample_id = s.id
       LEFT JOIN datasets_app_taskbody p ON p.task_id = s.task_id
       WHERE s.id = sample OR s.task_id = task
       ON CONFLICT (sample_id) DO UPDATE SET document = EXCLUDED.document, number = EXCLUDED.number $$""",
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
]
UNNUMBERED = [
    "DROP FUNCTION concur_numbers_with(tsquery, integer, double precision)",
    FUNCTIONS[2].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1),
    "ALTER TABLE concur_sample_search DROP COLUMN number",
]
# Substrings of code (see db.text_index.code): three bytes are one number, and the index keeps itself. pg_trgm
# would leave out all that is no letter and no digit. Without statistics, which would be worked out of many texts.
CREATE_CODE = [
    """CREATE FUNCTION concur_code_grams(code text) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
       DECLARE
           bytes bytea := convert_to(lower(code COLLATE "C"), 'UTF8');
       BEGIN
           RETURN ARRAY(
               SELECT DISTINCT get_byte(bytes, at) * 65536 + get_byte(bytes, at + 1) * 256 + get_byte(bytes, at + 2)
               FROM generate_series(0, length(bytes) - 3) AS at);
       END $$""",
    "CREATE INDEX concur_sample_code ON datasets_app_samplebody USING gin (concur_code_grams(kernel_code))",
    "CREATE INDEX concur_task_code ON datasets_app_taskbody USING gin (concur_code_grams(pytorch_code))",
    "ALTER INDEX concur_sample_code ALTER COLUMN 1 SET STATISTICS 0",
    "ALTER INDEX concur_task_code ALTER COLUMN 1 SET STATISTICS 0",
    """CREATE FUNCTION concur_holds_code(code text, wanted text, any_case boolean) RETURNS boolean
       LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
       SELECT strpos(CASE WHEN any_case THEN lower(code COLLATE "C") ELSE code END, wanted) > 0 $$""",
    """CREATE FUNCTION concur_numbers_with_code(
           grams integer[], wanted text, any_case boolean, most integer, seconds double precision)
       RETURNS SETOF bigint LANGUAGE plpgsql VOLATILE SET work_mem = '32MB' SET jit = off
       SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
       DECLARE
           candidate record;
           seen integer := 0;
           found integer := 0;
           ending timestamptz := clock_timestamp() + seconds * interval '1 second';
       BEGIN
           FOR candidate IN
               SELECT n.number, concur_holds_code(b.kernel_code, wanted, any_case) AS holds
               FROM datasets_app_samplebody b JOIN concur_sample_number n ON n.sample_id = b.sample_id
               WHERE concur_code_grams(b.kernel_code) @> grams
               UNION ALL
               SELECT n.number, true FROM (
                   SELECT p.task_id FROM datasets_app_taskbody p WHERE concur_code_grams(p.pytorch_code) @> grams
                   AND concur_holds_code(p.pytorch_code, wanted, any_case) OFFSET 0) AS t
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
DROP_CODE = [
    "DROP FUNCTION concur_numbers_with_code(integer[], text, boolean, integer, double precision)",
    "DROP FUNCTION concur_holds_code(text, text, boolean)",
    "DROP INDEX concur_sample_code",
    "DROP INDEX concur_task_code",
    "DROP FUNCTION concur_code_grams(text)",
]
LEARN_CODE: list[str] = []  # an index is filled when it is made
NEEDED: list[str] = []
MERGE_LESS: list[str] = []  # a GIN index has no parts to merge
MERGE_AS_USUAL: list[str] = []
CREATE = [
    "CREATE TABLE concur_sample_search (sample_id uuid PRIMARY KEY, document tsvector NOT NULL)",
    "CREATE INDEX concur_sample_search_words ON concur_sample_search USING gin (document)",
    "CREATE TABLE concur_task_search (task_id uuid PRIMARY KEY, document tsvector NOT NULL)",
    "CREATE INDEX concur_task_search_words ON concur_task_search USING gin (document)",
    *FUNCTIONS,
]
DROP = [
    "DROP FUNCTION concur_sample_text()",
    "DROP FUNCTION concur_task_text()",
    "DROP FUNCTION concur_learn_samples(uuid, uuid)",
    "DROP FUNCTION concur_learn_tasks(uuid)",
    "DROP FUNCTION concur_document(text, text, text, integer)",
    "DROP FUNCTION concur_words(text)",
    "DROP TABLE concur_sample_search",
    "DROP TABLE concur_task_search",
]


def triggers(kind: str, columns: str) -> dict[str, str]:
    table = f"datasets_app_{kind}body"
    each_row = f"FOR EACH ROW EXECUTE FUNCTION concur_{kind}_text()"
    statement = f"FOR EACH STATEMENT EXECUTE FUNCTION concur_{kind}_text()"
    return {
        f"concur_{kind}_text_in": f"AFTER INSERT OR UPDATE OF {columns} ON {table} {each_row}",
        f"concur_{kind}_text_out": f"AFTER DELETE ON {table} {each_row}",
        f"concur_{kind}_text_all_out": f"AFTER TRUNCATE ON {table} {statement}",
    }


TRIGGERS = triggers("sample", "reasoning, kernel_code") | triggers("task", "pytorch_code")
DROP_TRIGGERS = [
    f"""DO $$ BEGIN IF to_regclass('datasets_app_{name.split("_")[1]}body') IS NOT NULL THEN
        DROP TRIGGER IF EXISTS {name} ON datasets_app_{name.split("_")[1]}body; END IF; END $$"""
    for name in TRIGGERS
]
CREATE_TRIGGERS = [f"CREATE OR REPLACE TRIGGER {name} {event}" for name, event in TRIGGERS.items()]
INDEX_MISSING = [
    """SELECT count(concur_learn_samples(NULL, b.sample_id)) FROM datasets_app_samplebody b
       WHERE NOT EXISTS (SELECT FROM concur_sample_search m WHERE m.sample_id = b.sample_id)""",
    """SELECT count(concur_learn_tasks(b.task_id)) FROM datasets_app_taskbody b
       WHERE NOT EXISTS (SELECT FROM concur_task_search m WHERE m.task_id = b.task_id)""",
]
EMPTY = ["TRUNCATE concur_sample_search", "TRUNCATE concur_task_search"]
