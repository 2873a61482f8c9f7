"""Rate limits of tokens, and of strangers who read public releases. They are far above what a busy client needs: they
stop runaway loops.
"""

from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from datasets_app.accounts.addresses import brake_address
from datasets_app.accounts.rates import PERMIT, Rate
from datasets_app.models import ApiToken

if TYPE_CHECKING:
    from rest_framework.views import APIView

BAD_TOKENS_PER_MINUTE = 30  # per address; known tokens from the same address keep working
bad_tokens = Rate(BAD_TOKENS_PER_MINUTE)
# Per address and site process; files are not counted. A page of rows may be a search through a release.
STRANGERS_PER_MINUTE = 300
strangers = Rate(STRANGERS_PER_MINUTE)


@cache
def requests_of_tokens(per_minute: int) -> Rate:
    """Return the rate limit of this process."""
    return Rate(per_minute)


class TokenRate(BaseThrottle):
    """CONCUR_API_RATE requests per minute per token, fewer without one. Sessions of browsers are not limited.

    Leaves the permit on the request, for the headers that tell a client before it is refused.
    """

    seconds = 0

    def allow_request(self, request: Request, view: "APIView") -> bool:
        if not request.user.is_authenticated:
            self.seconds = strangers.take(brake_address(request))
            return not self.seconds
        if not isinstance(request.auth, ApiToken):
            return True
        permit = requests_of_tokens(settings.API_RATE).ask(str(request.auth.pk))
        setattr(request._request, PERMIT, permit)
        self.seconds = permit.wait_s
        return not self.seconds

    def wait(self) -> float:
        return self.seconds
