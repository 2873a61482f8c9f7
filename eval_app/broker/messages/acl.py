"""The Redis account of one host: what its worker sends and nothing else, as lines for `redis-cli`.

Each right goes with its own keys (a selector, since Redis 7): a host adds to its own list and cannot read it, takes
from the queues of its devices and cannot add to them, and reads the site's answers and cannot write them.
"""

from eval_app.broker.celery_app import verify_queue
from eval_app.broker.messages.keys import inbound_list, notice_key

CONNECTION = "+ping +hello +auth +select +client|setinfo"
PASSWORD = "<password>"  # noqa: S105  (what stands in its place)


def account(name: str) -> str:
    """Return the name of the host's account in Redis."""
    return f"host-{name}"


def acl_lines(name: str, kinds: list[str], password: str = PASSWORD) -> list[str]:
    """Return the command for Redis 7 or Valkey; nothing is left over from what the account had before."""
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


def removal_line(name: str) -> str:
    return f"ACL DELUSER {account(name)}"
