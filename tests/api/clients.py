"""API clients for tests: with a token, or with a reader's session."""

from rest_framework.test import APIClient

from datasets_app.models import ApiToken
from tests.factories import make_user


def token_for(user, *scopes: str) -> str:
    return ApiToken.issue(user, list(scopes))[1]


def api(token: str | None = None) -> APIClient:
    client = APIClient()
    client.default_format = "json"
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token or token_for(make_user('reader'), 'read')}")
    return client
