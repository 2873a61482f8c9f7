"""Fair shares: rows of one route and priority are drawn from the people who requested them in turn, one row each.

A person's batch of 10,000 thus does not delay another's 10. Drawing costs two seeks in an index per person with rows
that wait, whatever the number of rows.
"""

from __future__ import annotations

import uuid
from itertools import chain, islice, zip_longest

from datasets_app.models.verification import VerificationQuerySet
from eval_app.queue.routes import distinct


def drawn(rows: VerificationQuerySet, count: int) -> list[uuid.UUID]:
    """Return `count` of these rows: the oldest of each person, then the second of each, and so on.

    People are served in the order of their oldest row. Rows that nobody requested count as one person's.
    """
    people = requesters(rows)[:count]
    shares = [oldest_of(rows, person).values_list("pk", flat=True)[:count] for person in people]
    in_turn = chain.from_iterable(zip_longest(*shares))
    return list(islice((pk for pk in in_turn if pk is not None), count))


def requesters(rows: VerificationQuerySet) -> list[int | None]:
    """Return everybody with a row here, whoever waits longest first."""
    people = [None, *distinct(rows.exclude(requested_by=None), "requested_by_id")]
    waiting = []
    for order, person in enumerate(people):
        moment = oldest_of(rows, person).values_list("created_at", flat=True).first()
        if moment is not None:
            waiting.append((moment, order, person))
    return [person for _, _, person in sorted(waiting)]


def oldest_of(rows: VerificationQuerySet, person: int | None) -> VerificationQuerySet:
    """Return a person's rows, the oldest first. The order begins with the requester, as the index does: PostgreSQL
    would sort the rows of nobody otherwise."""
    return rows.filter(requested_by=person).order_by("requested_by_id", "created_at", "id")
