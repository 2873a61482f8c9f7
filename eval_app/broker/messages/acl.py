"""The Redis account of one host, with exactly the rights of its worker, as lines for `redis-cli`.

Each right applies to its own keys (a selector, since Redis 7): a host appends to its own list and cannot read
it, pops from the queues of its devices and cannot append, and reads the site's answers and cannot write them.
"""

import re

from eval_app.broker.celery_app import verify_queue
from eval_app.broker.messages.keys import inbound_list, notice_key

CONNECTION = "+ping +hello +auth +select +client|setinfo"
PASSWORD = "<password>"  # noqa: S105  (a placeholder)


def account(name: str) -> str:
    """Return the name of the host's account in Redis."""
    return f"host-{name}"


def acl_lines(name: str, kinds: list[str], password: str = PASSWORD) -> list[str]:
    """Return the commands for Redis 7 or Valkey; earlier rights of the account are removed."""
    selectors = [
        f"(+brpop {' '.join(f'~{verify_queue(kind)}*' for kind in kinds)})",
        f"(+lpush %W~{inbound_list(name)})",
        f"(+llen %R~{inbound_list(name)})",
        f"(+get %R~{notice_key(name, '*')})",
        "(+set +get +expire ~concur:claim:*)",
    ]
    return [
        f"ACL SETUSER {account(name)} reset on >{password} -@all {CONNECTION} {' '.join(selectors)}",
        "ACL SAVE",
    ]


def words(line: str) -> list[str]:
    """Return a line as the words of one command: a selector in brackets is one word."""
    return re.findall(r"\([^)]*\)|\S+", line)


def removal_line(name: str) -> str:
    """Return the command that deletes the account."""
    return f"ACL DELUSER {account(name)}"
