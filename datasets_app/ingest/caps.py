"""Every limit of the stage, in one place. Bytes are bytes of UTF-8."""

MAX_TEXT_BYTES = 2 * 2**20  # a program, a trace, a feedback
MAX_RECORD_BYTES = 16 * 2**20  # a line, or all fields of a row together
MAX_EXTRA_BYTES = 4 * 2**20  # the columns without a field of their own, as JSON
MAX_RAW_CHARS = 4 * 2**20  # what is kept of a refused row, so that it can be mended
MAX_UNPACKED_BYTES = 64 * 2**30  # of a compressed Parquet or Arrow file, which must be unpacked to be read
MAX_TURN = 32_767
MAX_LEVEL = 32_767

NAME_CHARS = 200
GENERATOR_CHARS = 120
DEVICE_CHARS = 120
EXTERNAL_ID_CHARS = 120
SUITE_CHARS = 80

BATCH_ROWS = 400  # stored in a seventh of a second on two quiet cores
BATCH_BYTES = 16 * 2**20  # long rows are stored earlier, so that memory stays flat
COLUMNAR_BATCH_ROWS = 64
PEEK_RECORDS = 20
PEEK_LINES = 200
