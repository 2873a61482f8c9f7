"""`manage.py token`: creates, lists and revokes API tokens."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts import api_tokens
from datasets_app.accounts.actor import COMMAND
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import ApiToken


class Command(SiteCommand):
    help = "Create, list or revoke API tokens. `create` prints the token once, as the last line of stdout."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, parser_class=type(parser))
        create = verbs.add_parser("create", help="create a token")
        create.add_argument("user", metavar="USER")
        create.add_argument(
            "--scope", default="read", help="comma-separated: read, metrics, annotate, curate, admin"
        )
        create.add_argument("--label", default="", help="what it is for")
        create.add_argument("--days", default="", help="after which it expires; without it never")
        listing = verbs.add_parser("list", help="tokens by their first characters, never their text")
        listing.add_argument("user", metavar="USER", nargs="?")
        revoke = verbs.add_parser("revoke", help="revoke a token")
        revoke.add_argument("token", help="its first characters as listed, its number, or the token itself")

    def handle(self, *, verb: str, **options: Any) -> None:
        getattr(self, verb)(**options)

    def create(self, user: str, scope: str, label: str, days: str, **_: Any) -> None:
        try:
            row, text = api_tokens.make_token(find_user(user), scope.split(","), label, days, actor=COMMAND)
        except api_tokens.TokenError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"Token {row.pk} of {user} with {', '.join(row.scopes)}. It is shown only once:")
        self.stdout.write(text)

    def list(self, user: str | None, **_: Any) -> None:
        tokens = ApiToken.objects.select_related("user")
        for token in tokens.filter(user=find_user(user)) if user else tokens:
            self.stdout.write(line(token))

    def revoke(self, token: str, **_: Any) -> None:
        row = find_token(token)
        api_tokens.revoke_token(row, actor=COMMAND)
        self.stdout.write(f"Token {row.pk} ({row.start}…) of {row.user} is revoked.")


def line(token: ApiToken) -> str:
    used = f"used {token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never used"
    expired = f"expired {token.expires_at:%Y-%m-%d %H:%M}" if token.is_expired else used
    state = f"revoked {token.revoked_at:%Y-%m-%d %H:%M}" if token.revoked_at else expired
    return "\t".join(
        [str(token.pk), f"{token.start}…", str(token.user), ",".join(token.scopes), state, token.label]
    )


def find_user(name: str) -> Any:
    user = get_user_model().objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account {name!r}; create it with: manage.py createsuperuser")
    return user


def find_token(text: str) -> ApiToken:
    tokens = api_tokens.tokens_named(text)
    if len(tokens) != 1:
        raise CommandError(f"{len(tokens)} tokens match {text!r}; see: manage.py token list")
    return tokens[0]
