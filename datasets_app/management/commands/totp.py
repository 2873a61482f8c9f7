"""`manage.py totp`: lists accounts with a second factor, and resets one whose phone is lost."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts import second_factor
from datasets_app.accounts.actor import COMMAND
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import SecondFactor


class Command(SiteCommand):
    help = "List the accounts that sign in with a second step, or turn it off for an account whose phone is lost."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, parser_class=type(parser))
        reset = verbs.add_parser(
            "reset", help="the account signs in with its password alone, and may enrol again"
        )
        reset.add_argument("user", metavar="USER")
        verbs.add_parser("list", help="accounts with a second step")

    def handle(self, *, verb: str, **options: Any) -> None:
        getattr(self, verb)(**options)

    def reset(self, user: str, **_: Any) -> None:
        account = get_user_model().objects.filter(username=user).first()
        if account is None:
            raise CommandError(f"There is no account {user}.")
        if not second_factor.turn_off(account, actor=COMMAND):
            raise CommandError(f"{user} has no second step; nothing was changed.")
        self.stdout.write(
            f"{user} signs in with the password alone now. Change the password if somebody else may have the phone."
        )

    def list(self, **_: Any) -> None:
        for factor in SecondFactor.objects.select_related("user").order_by("user__username"):
            self.stdout.write(f"{factor.user}  since {factor.created_at:%Y-%m-%d}")
