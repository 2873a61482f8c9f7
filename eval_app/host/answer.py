"""The site's answer to an announcement: a refusal, or the queues to serve and whether the host is held."""

import re
from dataclasses import dataclass
from typing import Any

from eval_app.engine import ENGINE_VERSION

OLDEST_SITE = (1, 1, 0)  # the engine of the oldest site whose jobs and answers this host understands
VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
PAUSED, DRAINING = "paused", "draining"


@dataclass(frozen=True)
class Answer:
    """What the site wants of this worker. `refusal`: it must stop; `hold`: it takes nothing new."""

    refusal: str = ""
    queues: tuple[str, ...] = ()
    hold: str = ""

    @classmethod
    def read(cls, content: Any) -> "Answer":
        """Return the answer in a notice's content. A site that this host does not understand is a refusal too."""
        if not isinstance(content, dict):
            return cls(refusal="its answer is unreadable")
        if refusal := str(content.get("refusal") or "") or site_refusal(content):
            return cls(refusal=refusal)
        return cls(queues=tuple(str(name) for name in content["queues"]), hold=str(content.get("hold") or ""))


def site_refusal(content: dict[str, Any]) -> str:
    """Return why this host cannot work for the site that answered; empty if it can."""
    match = VERSION.fullmatch(str(content.get("engine", "")))
    if match is None or not isinstance(content.get("queues"), list):
        return f"the site is of an earlier version than this host ({ENGINE_VERSION}): upgrade the site first"
    if tuple(int(part) for part in match.groups()) < OLDEST_SITE:
        oldest = ".".join(map(str, OLDEST_SITE))
        return f"the site's engine is {match[0]} and this host needs a site of {oldest} or later: upgrade the site"
    return ""
