# ruff: noqa: S608  every statement here is a constant
"""SQLite: contentless FTS5 tables, and a table that maps their row numbers to ids.

A changed text gets a new row number; nothing refers to the former one any more, so that the index does not need the
former text. rebuild() frees its space.
"""

from datasets_app.db.text_index.limits import CODE_CHARS, WORD_CHARS

WORDS = """content='', columnsize=0, tokenize="unicode61 tokenchars '_'" """

# Trigrams of the code alone: those of traces would cost an ingest four times as much.
TRIGRAMS = "content='', columnsize=0, detail=none, tokenize='trigram'"

CREATE = [
    """CREATE TABLE concur_sample_search (
           id integer PRIMARY KEY AUTOINCREMENT, sample_id char(32) NOT NULL UNIQUE)""",
    f"CREATE VIRTUAL TABLE concur_sample_search_words USING fts5(program, trace, kernel, {WORDS})",
    """CREATE TABLE concur_task_search (
           id integer PRIMARY KEY AUTOINCREMENT, task_id char(32) NOT NULL UNIQUE)""",
    f"CREATE VIRTUAL TABLE concur_task_search_words USING fts5(program, {WORDS})",
]
DROP = [
    "DROP TABLE concur_sample_search_words",
    "DROP TABLE concur_sample_search",
    "DROP TABLE concur_task_search_words",
    "DROP TABLE concur_task_search",
]

# See db.text_index.code: row numbers are those of the tables above.
CREATE_CODE = [
    f"CREATE VIRTUAL TABLE concur_sample_search_code USING fts5(kernel, {TRIGRAMS})",
    f"CREATE VIRTUAL TABLE concur_task_search_code USING fts5(program, {TRIGRAMS})",
]
DROP_CODE = ["DROP TABLE concur_sample_search_code", "DROP TABLE concur_task_search_code"]
SAMPLE_CODE = f"""
    INSERT INTO concur_sample_search_code(rowid, kernel)
    SELECT m.id, substr(b.kernel_code, 1, {CODE_CHARS})
    FROM concur_sample_search m
    JOIN datasets_app_samplebody b ON b.sample_id = m.sample_id
    JOIN datasets_app_sample s ON s.id = m.sample_id"""
TASK_CODE = f"""
    INSERT INTO concur_task_search_code(rowid, program)
    SELECT m.id, substr(p.pytorch_code, 1, {CODE_CHARS})
    FROM concur_task_search m JOIN datasets_app_taskbody p ON p.task_id = m.task_id"""
SAMPLE_WORDS = f"""
    INSERT INTO concur_sample_search_words(rowid, program, trace, kernel)
    SELECT m.id, substr(coalesce(p.pytorch_code, ''), 1, {WORD_CHARS}),
           substr(b.reasoning, 1, {WORD_CHARS}), substr(b.kernel_code, 1, {WORD_CHARS})
    FROM concur_sample_search m
    JOIN datasets_app_samplebody b ON b.sample_id = m.sample_id
    JOIN datasets_app_sample s ON s.id = m.sample_id
    LEFT JOIN datasets_app_taskbody p ON p.task_id = s.task_id"""
TASK_WORDS = f"""
    INSERT INTO concur_task_search_words(rowid, program)
    SELECT m.id, substr(p.pytorch_code, 1, {WORD_CHARS})
    FROM concur_task_search m JOIN datasets_app_taskbody p ON p.task_id = m.task_id"""

LEARN_CODE = [SAMPLE_CODE, TASK_CODE]
NEEDED = ["concur_task_search_code"]  # must exist before the triggers

# Each transaction leaves segments, which are merged as their number grows. Larger groups (the library's defaults are 4
# and 16) are rewritten less often: a tenth of an ingest's work, for some 0.05 ms per search.
MERGES = {"automerge": 16, "crisismerge": 64}
WORD_TABLES = (
    *("concur_sample_search_words", "concur_task_search_words"),
    *("concur_sample_search_code", "concur_task_search_code"),
)
MERGE_LESS = [
    f"INSERT INTO {table}({table}, rank) VALUES ('{setting}', {value})"
    for table in WORD_TABLES
    for setting, value in MERGES.items()
]

# A sample gets its number when its row is stored (db.facet_index.tables); its words follow with its texts. A discarded
# number and its replacement are dirty rows, because facet counts use these numbers too.
RENUMBER_SAMPLE = """
    INSERT INTO concur_facet_dirty(number) SELECT id FROM concur_sample_search WHERE sample_id = OLD.sample_id;
    DELETE FROM concur_sample_search WHERE sample_id = OLD.sample_id;
    INSERT INTO concur_sample_search(sample_id)
        SELECT OLD.sample_id WHERE EXISTS (SELECT 1 FROM datasets_app_sample WHERE id = OLD.sample_id);
    INSERT INTO concur_facet_dirty(number) SELECT id FROM concur_sample_search WHERE sample_id = OLD.sample_id;"""
# SAMPLE_WORDS and SAMPLE_CODE of one row, with the texts of the statement.
LEARN_SAMPLE = f"""
    INSERT INTO concur_sample_search_words(rowid, program, trace, kernel)
    SELECT m.id, substr(coalesce(p.pytorch_code, ''), 1, {WORD_CHARS}),
           substr(NEW.reasoning, 1, {WORD_CHARS}), substr(NEW.kernel_code, 1, {WORD_CHARS})
    FROM concur_sample_search m
    JOIN datasets_app_sample s ON s.id = m.sample_id
    LEFT JOIN datasets_app_taskbody p ON p.task_id = s.task_id
    WHERE m.sample_id = NEW.sample_id;
    INSERT INTO concur_sample_search_code(rowid, kernel)
    SELECT m.id, substr(NEW.kernel_code, 1, {CODE_CHARS})
    FROM concur_sample_search m
    JOIN datasets_app_sample s ON s.id = m.sample_id
    WHERE m.sample_id = NEW.sample_id;"""
FORGET_TASK = "DELETE FROM concur_task_search WHERE task_id = OLD.task_id;"
LEARN_TASK = f"""
    INSERT INTO concur_task_search(task_id) VALUES (NEW.task_id);
    {TASK_WORDS} WHERE m.task_id = NEW.task_id;
    {TASK_CODE} WHERE m.task_id = NEW.task_id;"""
# Programs are part of what their samples are found by. They are usually stored first; otherwise samples are
# read again.
OF_TASK = """(SELECT s.id FROM datasets_app_sample s JOIN datasets_app_samplebody b ON b.sample_id = s.id
              WHERE s.task_id = NEW.task_id)"""
MARK_ITS_SAMPLES = f"""
    INSERT INTO concur_facet_dirty(number) SELECT id FROM concur_sample_search WHERE sample_id IN {OF_TASK};"""
RELEARN_ITS_SAMPLES = f"""
    {MARK_ITS_SAMPLES}
    DELETE FROM concur_sample_search WHERE sample_id IN {OF_TASK};
    INSERT INTO concur_sample_search(sample_id) SELECT id FROM {OF_TASK};
    {MARK_ITS_SAMPLES}
    {SAMPLE_WORDS} WHERE s.task_id = NEW.task_id;
    {SAMPLE_CODE} WHERE s.task_id = NEW.task_id;"""

TRIGGERS = {
    "concur_sample_text_in": ("AFTER INSERT ON datasets_app_samplebody", LEARN_SAMPLE),
    "concur_sample_text_changed": (
        "AFTER UPDATE OF reasoning, kernel_code ON datasets_app_samplebody",
        RENUMBER_SAMPLE + LEARN_SAMPLE,
    ),
    "concur_sample_text_out": ("AFTER DELETE ON datasets_app_samplebody", RENUMBER_SAMPLE),
    "concur_task_text_in": ("AFTER INSERT ON datasets_app_taskbody", LEARN_TASK + RELEARN_ITS_SAMPLES),
    "concur_task_text_changed": (
        "AFTER UPDATE OF pytorch_code ON datasets_app_taskbody",
        FORGET_TASK + LEARN_TASK + RELEARN_ITS_SAMPLES,
    ),
    "concur_task_text_out": ("AFTER DELETE ON datasets_app_taskbody", FORGET_TASK),
}
DROP_TRIGGERS = [f"DROP TRIGGER IF EXISTS {name}" for name in TRIGGERS]
CREATE_TRIGGERS = [
    f"CREATE TRIGGER IF NOT EXISTS {name} {event} FOR EACH ROW BEGIN {body} END"
    for name, (event, body) in TRIGGERS.items()
]

# Contentless tables do not show which rows lack words, so the highest indexed number tells where to start.
INDEX_MISSING = [
    "CREATE TEMP TABLE concur_known AS SELECT coalesce(max(id), 0) AS sample FROM concur_sample_search",
    "DELETE FROM concur_sample_search WHERE sample_id NOT IN (SELECT id FROM datasets_app_sample)",
    """INSERT INTO concur_sample_search(sample_id) SELECT id FROM datasets_app_sample
       WHERE id NOT IN (SELECT sample_id FROM concur_sample_search) ORDER BY created_at, id""",
    f"{SAMPLE_WORDS} WHERE m.id > (SELECT sample FROM concur_known)",
    f"{SAMPLE_CODE} WHERE m.id > (SELECT sample FROM concur_known)",
    "DROP TABLE concur_known",
    "CREATE TEMP TABLE concur_known AS SELECT coalesce(max(id), 0) AS task FROM concur_task_search",
    """INSERT INTO concur_task_search(task_id) SELECT task_id FROM datasets_app_taskbody
       WHERE task_id NOT IN (SELECT task_id FROM concur_task_search)""",
    f"{TASK_WORDS} WHERE m.id > (SELECT task FROM concur_known)",
    f"{TASK_CODE} WHERE m.id > (SELECT task FROM concur_known)",
    "DROP TABLE concur_known",
]
EMPTY = [
    "DELETE FROM concur_sample_search",
    "INSERT INTO concur_sample_search_words(concur_sample_search_words) VALUES ('delete-all')",
    "INSERT INTO concur_sample_search_code(concur_sample_search_code) VALUES ('delete-all')",
    "DELETE FROM concur_task_search",
    "INSERT INTO concur_task_search_words(concur_task_search_words) VALUES ('delete-all')",
    "INSERT INTO concur_task_search_code(concur_task_search_code) VALUES ('delete-all')",
]
