"""The samples of a request: named by id, or those of a typed query line."""

from collections.abc import Iterable
from uuid import UUID

from datasets_app.accounts.actor import COMMAND, Actor
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.models import Sample
from datasets_app.models.identity import is_uuid
from datasets_app.models.sample import SampleQuerySet
from eval_app.request.verify import VerifyError


def samples_by_id(ids: Iterable[str]) -> SampleQuerySet:
    """Return the samples of these ids. Raises VerifyError for a text that is no id, or an unknown id."""
    ids = list(dict.fromkeys(ids))
    bad = [text for text in ids if not is_uuid(text)]
    if bad:
        raise VerifyError(f"{bad[0]!r:.80} is not a sample id. Copy the id from the sample's page.")
    samples = Sample.objects.filter(pk__in=ids)
    missing = {UUID(text) for text in ids} - set(samples.values_list("pk", flat=True))
    if missing:
        raise VerifyError(f"No sample {min(missing)} is stored here.")
    return samples


def samples_by_query(text: str, actor: Actor = COMMAND) -> SampleQuerySet:
    """Return the samples of a query line such as `outcome:passed "warp shuffle"`; all samples for an empty one."""
    return filter_of(text, actor).queryset()


def words_of(text: str) -> str:
    """Return a query line in words: "Passed samples that mention softmax"."""
    return filter_of(text).words()


def filter_of(text: str, actor: Actor = COMMAND) -> BrowseFilter:
    """Return the filter of a query line, as it answers the actor. Raises VerifyError."""
    try:
        return parse_query(text).read_by(actor)
    except BrowseError as error:
        raise VerifyError(str(error)) from error
