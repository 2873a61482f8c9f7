"""Export: a frozen release, or any queryset of samples, written out as a stream in one of the formats.

columns.py says what a row contains (gathered.py reads its lists), formats/ what a file makes of rows by options.py,
turns.py and pairs.py. request.py and write.py turn a release into files; card.py, configs.py, training.py, croissant.py
and package.py describe them, form.py offers them, download.py serves them.
"""

from datasets_app.export.formats import FORMATS
from datasets_app.export.request import request_export
from datasets_app.export.samples import write_samples

__all__ = ["FORMATS", "request_export", "write_samples"]
