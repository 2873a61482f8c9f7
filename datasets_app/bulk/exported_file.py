"""The response with the file of an export over many samples, for the page and the API."""

from django.http import Http404, HttpResponseBase

from datasets_app.bulk.verbs.exporting import file_of
from datasets_app.export.sending import send_file
from datasets_app.models import BulkAction


def exported_file(bulk: BulkAction) -> HttpResponseBase:
    """Return the file. Raises Http404 if there is none, or if it has been deleted."""
    path = file_of(bulk)
    if not path.is_file():
        raise Http404("There is no such file; exports are kept for a week. Export the same rows again.")
    response = send_file(path, "application/jsonl")
    response.headers["Content-Disposition"] = f'attachment; filename="samples-{str(bulk.pk)[:8]}.jsonl"'
    return response
