"""The response with the preference pairs, for the page's link and for REST."""

from django.http import StreamingHttpResponse

from datasets_app.accounts.actor import Actor
from datasets_app.review.preferences.trainer_pairs import count_pairs, pair_lines


def pairs_response(actor: Actor) -> StreamingHttpResponse:
    """Return the pairs as they are read, with the counts in headers. Raises PermissionDenied."""
    counts = count_pairs(actor)
    response = StreamingHttpResponse(pair_lines(actor), content_type="application/jsonl")
    response["Content-Disposition"] = 'attachment; filename="preference-pairs.jsonl"'
    response["X-Pairs"] = str(counts.decided)
    response["X-Pairs-Tied"] = str(counts.tied)
    response["X-Pairs-Even"] = str(counts.even)
    return response
