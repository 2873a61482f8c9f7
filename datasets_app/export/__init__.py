"""Export: a frozen release, or any queryset of samples, written out as a stream in one of the formats.

columns.py says what stands in a row, formats/ how a file is written, request.py and write.py turn a release into files,
card.py and package.py describe them, download.py serves them.
"""

from datasets_app.export.formats import FORMATS
from datasets_app.export.request import request_export
from datasets_app.export.samples import write_samples

__all__ = ["FORMATS", "request_export", "write_samples"]
