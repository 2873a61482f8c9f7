"""Hides the secret part of links that open something by themselves: invitations, and links for a new password."""

import logging
import re

LINK = re.compile(r"(/account/(?:join|reset/[^/\s]{1,64})/)[^/\s]+")


def without_links(text: str) -> str:
    """Return `text` with an ellipsis for the secret part of each link."""
    return LINK.sub(r"\1…", text)


class HideLinks(logging.Filter):
    """Rewrites the message of a record. Django logs the path of each request that it refuses, and a refused form leaves
    its link valid."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if (hidden := without_links(message)) != message:
            record.msg, record.args = hidden, None
        return True
