"""A client of ConCuR Workbench's REST API.

`Client` does everything; what it returns are the frozen dataclasses of records.py, and what it raises are subclasses of
ConcurError. Nothing here imports the site.
"""

from concur_client.client import Client
from concur_client.errors import (
    ConcurError,
    DownloadError,
    IngestFailedError,
    SiteError,
    UnexpectedAnswerError,
    UnreachableError,
    YankedWarning,
)
from concur_client.records import (
    Downloaded,
    Ingest,
    Publication,
    Release,
    ReleaseFile,
    ReleaseSummary,
    Sample,
    SampleRow,
)
from concur_client.version import __version__

__all__ = [
    "Client",
    "ConcurError",
    "DownloadError",
    "Downloaded",
    "Ingest",
    "IngestFailedError",
    "Publication",
    "Release",
    "ReleaseFile",
    "ReleaseSummary",
    "Sample",
    "SampleRow",
    "SiteError",
    "UnexpectedAnswerError",
    "UnreachableError",
    "YankedWarning",
    "__version__",
]
