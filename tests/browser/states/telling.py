"""Webhooks of the filled site: one with deliveries of every kind, and one that the site switched off."""

from datasets_app.accounts.actor import SITE, Actor
from datasets_app.jobs import job_row
from datasets_app.models import Release, WebhookDelivery, WebhookEvent
from datasets_app.webhooks import verbs
from datasets_app.webhooks.deliver import Answer, fault_of, settle
from datasets_app.webhooks.events import queue, release_facts

SLOW = "No answer arrived: it took longer than 10 s."


def tell_all(owner: Actor) -> dict[str, str]:
    """Return the addresses of the webhooks' pages by name."""
    events = ["release.frozen", "release.yanked", "export.finished", "export.failed"]
    told, _ = verbs.create("https://ci.example.org/hooks/concur?project=kernels", events, actor=owner)
    other, _ = verbs.create(
        "https://chat.example.org/services/T024BE7LD/B0S3CRET/a-long-path-that-nobody-would-want-to-type-again",
        ["release.frozen"],
        actor=owner,
    )
    facts = {"release": release_facts(Release.objects.get(name="first"))}
    for event, answer in (
        (WebhookEvent.RELEASE_FROZEN, Answer(200, "")),
        (WebhookEvent.EXPORT_FINISHED, Answer(302, fault_of(302))),
        (WebhookEvent.RELEASE_YANKED, Answer(None, SLOW)),
        ("ping", Answer(500, fault_of(500))),
        (WebhookEvent.EXPORT_FAILED, None),
    ):
        row = queue(told, event, facts)
        if answer:
            settle(job_row.claim(WebhookDelivery, row.pk), answer)
    note = "Every delivery since 2026-11-20 10:00 was given up, so the site switched it off."
    verbs.switch_off(other, note=note, actor=SITE)
    return {"webhook": f"/webhooks/{told.pk}/", "webhook off": f"/webhooks/{other.pk}/"}
