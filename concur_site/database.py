"""The database of the settings."""

from pathlib import Path

import environ

from concur_site import env
from concur_site.data_folder import DATABASE

DATABASE_SCHEMES = ("sqlite", "postgres", "postgresql")


def database(folder: Path) -> dict[str, object]:
    """Return DATABASE_URL in Django's form; by default SQLite in the data folder."""
    address = env.url("DATABASE_URL", f"sqlite:///{folder / DATABASE}", DATABASE_SCHEMES)
    config = environ.Env.db_url_config(address)
    if "sqlite" in config["ENGINE"]:
        # WAL lets readers continue beside the writer; IMMEDIATE waits for the write lock instead of failing later. Some
        # builds of SQLite overwrite deleted content with zeros, which costs an index that merges its segments a tenth.
        # The log is checkpointed every 16 MB instead of 4: a batch of an ingest is about 8, half of it pages written
        # before.
        config["ENGINE"] = "concur_site.sqlite_write_lock"
        config["OPTIONS"] = {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA cache_size=-65536;"
            "PRAGMA secure_delete=OFF;PRAGMA wal_autocheckpoint=4000;",
        }
    else:
        config["CONN_MAX_AGE"] = 300
        config["CONN_HEALTH_CHECKS"] = True
    return config
