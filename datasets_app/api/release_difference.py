"""/api/v1/releases/NAME/difference/: every row in which a release differs from another."""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.ownership import readable_releases
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.files import FileView
from datasets_app.api.published import find_release
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.curate.difference_file import difference_response
from datasets_app.models import JobState

FROM = OpenApiParameter(
    "from", OpenApiTypes.STR, required=True, description="the name of the earlier release"
)


class ReleaseDifference(FileView):
    @extend_schema(
        parameters=[FROM],
        responses={
            (200, "application/jsonl"): OpenApiTypes.BINARY,
            409: OpenApiResponse(ProblemSerializer, "one of the two is not finished"),
        },
    )
    def get(self, request: Request, name: str) -> StreamingHttpResponse:
        """Rows added, removed and changed since another release, as JSON Lines, with the rule or fact behind each.

        The headers X-Added, X-Removed and X-Changed count them. Why a release lacks a row is said by its recipe,
        applied to what is stored now.
        """
        actor = actor_of(request)
        release = find_release(name, actor)
        other = readable_releases(actor).filter(name=request.query_params.get("from", "")).first()
        if other is None or other == release:
            raise ValidationError({"from": ["Name another release."]})
        if unfinished := [one for one in (release, other) if one.state != JobState.DONE]:
            raise Conflict(f"{unfinished[0].name} is {unfinished[0].state}; it is compared when it is done.")
        return difference_response(release, other, hidden_from(actor))
