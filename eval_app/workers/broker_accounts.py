"""Accounts of hosts in the run's own broker, if it accepts other machines (CONCUR_BROKER_LISTEN).

On a Redis that somebody else runs, an administrator makes them with the lines of `manage.py host acl`.
"""

import secrets

from django.conf import settings

from datasets_app.broker import BROKER_ERRORS, client
from eval_app.broker.messages import acl
from eval_app.models import Host


class AccountError(Exception):
    """The broker did not take a change of its accounts; the message says what to do."""


def are_ours() -> bool:
    """Return whether the site makes the accounts itself."""
    return bool(settings.HAS_OWN_REDIS and settings.BROKER_ACCESS.listen)


def make_account(host: Host) -> str:
    """Give a host an account with a new password, which is not stored here. Return the host's REDIS_URL."""
    password = secrets.token_urlsafe(24)
    send(acl.acl_lines(host.name, host.kinds, password), f"manage.py host rotate {host.name}")
    return f"redis://{acl.account(host.name)}:{password}@{settings.BROKER_ACCESS.address}/0"


def remove_account(name: str) -> None:
    """Delete a host's account, which ends its connections."""
    send([acl.removal_line(name), "ACL SAVE"], f"manage.py host revoke {name}")


def send(lines: list[str], again: str) -> None:
    try:
        for line in lines:
            client().execute_command(*acl.words(line))
    except BROKER_ERRORS as error:
        raise AccountError(
            f"The broker did not take the change of its accounts ({type(error).__name__}): start the site with "
            f"CONCUR_BROKER_LISTEN={settings.BROKER_ACCESS.listen}, then: {again}"
        ) from error
