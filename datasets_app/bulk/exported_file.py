"""The file that an export over many samples wrote, as the page and the API send it."""

from django.http import Http404, HttpResponseBase

from datasets_app.bulk.verbs.exporting import file_of
from datasets_app.export.sending import send_file
from datasets_app.models import BulkAction


def exported_file(bulk: BulkAction) -> HttpResponseBase:
    """Raises Http404 where there is none, or none any more."""
    path = file_of(bulk)
    if not path.is_file():
        raise Http404("The file is not there: it is kept for a week. Export the same rows again.")
    response = send_file(path, "application/jsonl")
    response.headers["Content-Disposition"] = f'attachment; filename="samples-{str(bulk.pk)[:8]}.jsonl"'
    return response
