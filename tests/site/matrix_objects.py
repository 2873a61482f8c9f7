"""The objects in the matrix's addresses. All belong to one curator, who is not one of the visitors."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile

from datasets_app import bulk, review
from datasets_app.accounts import invitations
from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.api_tokens import make_token
from datasets_app.browse.list import saved_views, tags
from datasets_app.bulk import Target
from datasets_app.curate import recipes
from datasets_app.export.finish import finish_files
from datasets_app.export.formats import FORMATS
from datasets_app.models import Sample
from datasets_app.review import notes, queues, suggestions
from datasets_app.review.preferences import submit_preference
from eval_app.request.edits import propose_edit
from eval_app.request.verify import request_verification
from tests.curate.store import PASSED, frozen, passed
from tests.factories import acting, make_queue, make_sample, make_user
from tests.site.matrix_bodies import EMPTY_RUBRIC, REASONS, RECIPE_BODIES, RELEASE_BODIES
from tests.site.matrix_makers import WEBHOOK, ids_of, make_ingest, make_others

GAPS = (
    "<uuid:pk>",
    "<int:pk>",
    "<slug:name>",
    "<slug:kind>",
    "<slug:text>",
    "<slug:uidb64>",
    "<slug:token>",
    "<uuid:other>",
    "<path:name>",
    "<slug:namespace>",
    "<str:revision>",
    "<int:number>",
    "<int:candidate>",
    "<int:row>",
    "<uuid:run>",
    "<slug:form>",
)
EDITED = "class ModelNew:\n    def forward(self, x):\n        return x\n"
ROWS = b'{"nothing": 1}\n'
HUB = {"namespace": "concur", "revision": "main"}
# Addresses that contain one of a few words: the word.
WORDS = {
    "browse-histogram": {"name": "speedup"},
    "figure": {"name": "fast-p"},
    "figure-csv": {"name": "fast-p"},
    "run-figure-csv": {"name": "best-of-n"},
    **{name: {"name": "generators"} for name in ("api-run-table", "run-table-csv")},
    "sample-code-against": {"kind": "sass"},
    "sample-text": {"name": "kernel"},
    "password_reset_confirm": {"uidb64": "MQ", "token": "none"},
    "maintenance-run": {"kind": "tokens"},
    "api-recipe-version": {"number": "1"},
    "recipe-file": {"form": "json"},
    "recipe-restore": {"number": "1"},
    "verification-code": {"kind": "sass"},
    **dict.fromkeys(("hub-repository", "hub-revision", "hub-refs", "hub-paths-info", "hub-file"), HUB),
    "hub-croissant": HUB,
    "hub-tree": HUB,
    "hub-folder": HUB,
}


@dataclass
class Objects:
    ids: dict[str, Any]

    @classmethod
    def make(cls) -> "Objects":
        owner = acting(make_user("curator", "matrix-owner"))
        one, other = passed(), passed()
        judged = [
            review.submit_review(other, acting(make_user("annotator")), verdict)
            for verdict in ("accept", "reject")
        ]
        (verification,) = request_verification([other], actor=owner)
        tag = tags.make(owner, "fast")
        tags.put_on(owner, one, tag)
        recipe = recipes.save(owner, PASSED, name="plain")
        release = frozen("first")
        finish_files(release)
        view = saved_views.save(owner, "all", "", shared=True)
        action = bulk.start(owner, "tag", Target.of_ids([str(one.pk)]), {"tag": "bulk"})
        note = notes.create_note(one, owner, [notes.lines_place(one, "kernel", 1)], "race")
        (posted,) = suggestions.post_suggestions(
            owner, "critic", "1", [{"sample": str(one.pk), "verdict": "reject", "words": "a race"}]
        )
        beside = passed(task=one.task)
        preference = submit_preference(one, beside, owner, "left")
        edit = propose_edit(
            Sample.objects.with_body().get(pk=other.pk), owner, "", EDITED, "the trace repeats itself"
        )
        queued, later = (make_sample(generator=name) for name in ("queued", "later"))
        queue = make_queue("matrix", owner, query=f"generator:{queued.generator}")
        queues.open_queue(queue, owner)
        invitation, text = invitations.invite("reader", actor=COMMAND)
        return cls(
            {
                "invitation": invitation.pk,
                "text": text,
                **make_others(),
                "person": make_user("reader", "matrix-person").pk,
                "sample": one.pk,
                "seen": str(review.look(one, owner.user)),
                "other": other.pk,
                "other_seen": str(review.look(other, owner.user)),
                "task": one.task_id,
                "verification": verification.pk,
                "batch": request_verification([make_sample(), make_sample()], actor=owner)[0].batch,
                "tag": tag.pk,
                "recipe": recipe.name,
                "release": release.name,
                **make_ingest(),
                "view": view.pk,
                "action": action.pk,
                "token": make_token(owner.user, [], actor=owner)[0].pk,
                "note": note.pk,
                "beside": beside.pk,
                "preference": preference.pk,
                **ids_of(edit),
                "review": judged[0].pk,
                "suggestion": posted.suggestion.pk,
                "rubric": 1,
                "queue": queue.pk,
                "new_queue": make_queue("matrix-new", owner, query=f"generator:{later.generator}").pk,
            }
        )

    def path(self, pattern: str, name: str) -> str:
        """Return the pattern with each gap filled by the object that it refers to."""
        words = WORDS.get(name, {})
        filled = pattern
        for gap in GAPS:
            filled = filled.replace(
                gap, str(words.get(gap.strip("<>").partition(":")[2]) or self.of(gap, name))
            )
        return "/" + filled.replace("<path:path>", "data" if name == "hub-folder" else "README.md")

    def of(self, gap: str, name: str) -> Any:
        if gap == "<uuid:other>":
            return self.ids["beside" if name == "compare-pair" else "other"]
        if gap == "<slug:text>":
            return self.ids["text"]
        if gap == "<path:name>":
            return "fast"
        if gap == "<int:candidate>":
            return self.ids["candidate"]
        if gap == "<int:row>":
            return self.ids["row"]
        if gap == "<uuid:run>":
            return self.ids["edit run"]
        return self.ids[next((kind for start, kind in KINDS if name.startswith(start)), "sample")]

    def body(self, name: str, method: str) -> Any:
        """Return the data with which a permitted request succeeds."""
        sample = str(self.ids["sample"])
        bodies: dict[str, Any] = {
            "adjudicate": {
                "verdict": "accept",
                "comment": "the first is right",
                "key": str(uuid4()),
                "seen": self.ids["other_seen"],
            },
            "api-inbox": {"entries": [sample]},
            "api-bulk-actions": {"action": "tag", "samples": [sample], "tag": "fresh"},
            "api-notes": {
                "sample": sample,
                "label": "race",
                "anchors": [{"text": "kernel", "start": 0, "end": 5}],
            },
            "api-edits": {"base": sample, "kernel_code": EDITED, "reason": "simpler"},
            "edit-propose": {"kernel_code": EDITED, "reason": "simpler"},
            "api-note-entries": {"kind": "answer", "text": "yes"},
            **self.preference_bodies(),
            **RECIPE_BODIES,
            **REASONS,
            **self.queue_and_suggestion_bodies(sample),
            "api-release-exports": {"format": "csv"},
            "api-releases": {"name": "fresh", "recipe": "plain"},
            **RELEASE_BODIES,
            "api-reviews": {"sample": sample, "verdict": "accept"},
            "rubric-new": EMPTY_RUBRIC,
            "api-rubric": {"based_on": 1, "note": "shorter"},
            "api-tag": {"colour": "red"},
            "api-tags": {"name": "fresh"},
            "api-verifications": {"sample": sample},
            "api-view": {"name": "renamed"},
            "api-views": {"name": "fresh", "shared": True},
            "bulk-act": {"do": "tag:selected", "sample": [sample], "tag": "fresh"},
            "note-answer": {"said": "yes"},
            "note-withdraw": {"said": "misread"},
            "invite": {"role": "reader"},
            "ingest-correct": {"field-0": "softmax"},
            "join": {"username": "ada", "password1": "an-engine-of-1843", "password2": "an-engine-of-1843"},
            "person-role": {"role": "curator"},
            "release-export": {"format": next(iter(FORMATS))},
            "review-sample": {"verdict": "accept", "key": str(uuid4()), "seen": self.ids["seen"]},
            "sample-notes": {"key": str(uuid4()), "text": "kernel", "first": "1", "label": "race"},
            "sample-tags": {"add": "fresh"},
            "tag-save": {"name": "fresh"},
            "token-make": {"scope": ["read"]},
            "verify-again": {"verification": [str(self.ids["verification"])]},
            "verify-ask": {"sample": [sample]},
            "view-change": {"name": "renamed"},
            "view-save": {"name": "fresh", "shared": "on"},
            **dict.fromkeys(("webhook-add", "webhook-change"), WEBHOOK),
        }
        if method == "POST" and name in ("ingest", "api-ingests"):
            return {FILES[name]: SimpleUploadedFile("rows.jsonl", ROWS)}
        return bodies.get(name, {})

    def queue_and_suggestion_bodies(self, sample: str) -> dict[str, Any]:
        queue = {"overlap": "1", "seed": "0", "order": "oldest"}
        return {
            "review-queue-new": {"name": "fresh", **queue},
            "review-queue-change": {"name": "renamed", **queue},
            "api-queues": {"name": "fresh"},
            "api-queue": {"name": "renamed"},
            "api-suggestions": {
                "name": "critic",
                "version": "2",
                "suggestions": [{"sample": sample, "verdict": "fix", "words": "no mask"}],
            },
            "review-suggestion": {"take": str(self.ids["suggestion"])},
        }

    def preference_bodies(self) -> dict[str, Any]:
        pair = {"left": str(self.ids["sample"]), "right": str(self.ids["beside"])}
        return {
            "api-preferences": {**pair, "choice": "tie"},
            "api-preference-withdraw": {"reason": "misread"},
            "compare-pair": {"key": str(uuid4()), "choice": "tie"},
        }


FILES = {"ingest": "files", "api-ingests": "file"}
# Prefixes of route names, and the object whose id the address contains.
KINDS = [
    ("adjudicate", "other"),
    ("api-bulk", "action"),
    ("api-rubric", "rubric"),
    ("bulk-", "action"),
    *((start, kind) for kind in ("ingest", "synthesis", "loop", "run") for start in (f"api-{kind}", kind)),
    ("api-note", "note"),
    ("api-preference-", "preference"),
    ("invitation-", "invitation"),
    ("person-", "person"),
    *((start, kind) for kind in ("recipe", "release", "task") for start in (f"api-{kind}", kind)),
    ("hub-", "release"),
    ("api-verification-batch", "batch"),
    ("verify-batch", "batch"),
    ("api-verification", "verification"),
    ("verification", "verification"),
    ("api-view", "view"),
    ("api-edit", "edit"),
    ("edit-propose", "sample"),
    ("edit", "edit"),
    ("note-", "note"),
    *((start, "review") for start in ("api-review-withdraw", "review-withdraw", "review-undo")),
    ("api-suggestion-withdraw", "suggestion"),
    ("review-queue-open", "new_queue"),
    ("review-queue", "queue"),
    ("api-queue-open", "new_queue"),
    ("api-queue", "queue"),
    ("view-", "view"),
    ("saved-view", "view"),
    *((f"{kind}-", kind) for kind in ("delivery", "tag", "token")),
    ("webhook", "webhook"),
]
