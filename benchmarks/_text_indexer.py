"""A process that indexes new texts on PostgreSQL, as a run of `maintenance search` does on a site.

    python benchmarks/_text_indexer.py STOP

Ends when the file STOP exists and no text is pending.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import django

PAUSE_SECONDS = 0.1


def main(stop: Path) -> None:
    os.nice(15)  # the same as the site's indexing process
    django.setup()
    from datasets_app.db.text_index import pending

    while True:
        ending = stop.exists()
        indexed = sum(pending.index(ids) for ids in pending.batches())
        if not indexed:
            if ending:
                return
            time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
