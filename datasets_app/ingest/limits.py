"""The fixed limits of the stage; those that a site can change are settings (see budget.py).

Bytes are bytes of UTF-8.
"""

MAX_TEXT_BYTES = 2 * 2**20  # a program, a trace, a feedback
MAX_RECORD_BYTES = 16 * 2**20  # a line, or all fields of a row together
MAX_EXTRA_BYTES = 4 * 2**20  # the columns without a field of their own, as JSON
MAX_RAW_CHARS = 4 * 2**20  # kept of a refused row, for correction
MAX_BESIDE_BYTES = 64 * 2**20  # results, times and settings that lie beside programs, one file
MAX_PART_BYTES = 512 * 2**20  # of one message of an Arrow stream
MAX_CLAIMS = 500  # of one sample
MAX_COLUMNS = 2_000
MAX_BLANK_LINES = 1_000_000  # consecutive ones
MAX_TURN = 32_767
MAX_LEVEL = 32_767

NAME_CHARS = 200
GENERATOR_CHARS = 120
DEVICE_CHARS = 120
EXTERNAL_ID_CHARS = 120
LICENCE_CHARS = 120
SUITE_CHARS = 80

BATCH_ROWS = 400  # stored in a seventh of a second on two idle cores
BATCH_BYTES = 16 * 2**20  # long rows are stored earlier, to bound memory
COLUMNAR_BATCH_ROWS = 64
ANALYSED_ROWS, ANALYSED_BYTES = 64, 2**21  # rows whose programs go to an analysis together
PEEK_RECORDS = 20
PEEK_LINES = 200
PEEK_BYTES = 32 * 2**20  # of a text file, decompressed
PEEK_COLUMNS = 1_000
PEEK_PATHS = 2_000  # of an archive or a folder
PREVIEW_ROWS, PREVIEW_COLUMNS, PREVIEW_CHARS = 3, 40, 160
