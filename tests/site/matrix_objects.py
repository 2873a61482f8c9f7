"""The objects in the matrix's addresses. All belong to one curator, who is not one of the visitors."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile

from datasets_app import bulk, review
from datasets_app.accounts.api_tokens import make_token
from datasets_app.browse.list import saved_views, tags
from datasets_app.bulk import Target
from datasets_app.curate import recipes
from datasets_app.export.finish import finish_files
from datasets_app.export.formats import FORMATS
from datasets_app.models import Ingest
from eval_app.request.verify import request_verification
from tests.curate.store import PASSED, frozen, passed
from tests.factories import acting, make_source, make_user

FORM = {"rule": "0:has_trace", "splits.train": "100", "seed": "1", "do": "save"}
ROWS = b'{"nothing": 1}\n'
# Addresses that contain one of a few words: the word.
WORDS = {
    "browse-histogram": {"name": "speedup"},
    "figure": {"name": "fast-p"},
    "figure-csv": {"name": "fast-p"},
    "sample-code-against": {"kind": "sass"},
    "sample-text": {"name": "kernel"},
    "maintenance-run": {"kind": "tokens"},
    "verification-code": {"kind": "sass"},
}


@dataclass
class Objects:
    ids: dict[str, Any]

    @classmethod
    def make(cls) -> "Objects":
        owner = acting(make_user("curator", "matrix-owner"))
        one, other = passed(), passed()
        (verification,) = request_verification([other], actor=owner)
        tag = tags.make(owner, "fast")
        tags.put_on(owner, one, tag)
        recipe = recipes.save(owner, PASSED, name="plain")
        release = frozen("first")
        finish_files(release)
        ingest = Ingest.objects.create(file_name="rows.jsonl", format="concur", source=make_source())
        view = saved_views.save(owner, "all", "", shared=True)
        action = bulk.start(owner, "tag", Target.of_ids([str(one.pk)]), {"tag": "bulk"})
        token, _ = make_token(owner.user, [], actor=owner)
        return cls(
            {
                "sample": one.pk,
                "seen": str(review.look(one, owner.user)),
                "other": other.pk,
                "task": one.task_id,
                "verification": verification.pk,
                "tag": tag.pk,
                "recipe": recipe.name,
                "release": release.name,
                "ingest": ingest.pk,
                "view": view.pk,
                "action": action.pk,
                "token": token.pk,
            }
        )

    def path(self, pattern: str, name: str) -> str:
        """Return the pattern with each gap filled by the object that it refers to."""
        words = WORDS.get(name, {})
        filled = pattern
        for gap in ("<uuid:pk>", "<int:pk>", "<slug:name>", "<slug:kind>", "<uuid:other>", "<path:name>"):
            filled = filled.replace(
                gap, str(words.get(gap.strip("<>").partition(":")[2]) or self.of(gap, name))
            )
        return "/" + filled.replace("<path:path>", "README.md")

    def of(self, gap: str, name: str) -> Any:
        if gap == "<uuid:other>":
            return self.ids["other"]
        if gap == "<path:name>":
            return "fast"
        return self.ids[next((kind for start, kind in KINDS if name.startswith(start)), "sample")]

    def body(self, name: str, method: str) -> Any:
        """Return the data with which a permitted request succeeds."""
        sample = str(self.ids["sample"])
        bodies: dict[str, Any] = {
            "api-bulk-actions": {"action": "tag", "samples": [sample], "tag": "fresh"},
            "api-recipe": {"name": "plain", "definition": PASSED},
            "api-recipes": {"name": "fresh", "definition": PASSED},
            "api-releases": {"name": "fresh", "recipe": "plain"},
            "api-reviews": {"sample": sample, "verdict": "accept"},
            "api-tag": {"colour": "red"},
            "api-tags": {"name": "fresh"},
            "api-verifications": {"sample": sample},
            "api-view": {"name": "renamed"},
            "api-views": {"name": "fresh", "shared": True},
            "bulk-act": {"do": "tag:selected", "sample": [sample], "tag": "fresh"},
            "recipe": {**FORM, "name": "plain"},
            "recipe-freeze": {"name": "fresh"},
            "recipe-new": {**FORM, "name": "fresh"},
            "release-export": {"format": next(iter(FORMATS))},
            "review-sample": {"verdict": "accept", "key": str(uuid4()), "seen": self.ids["seen"]},
            "sample-tags": {"add": "fresh"},
            "tag-save": {"name": "fresh"},
            "token-make": {"scope": ["read"]},
            "verify-again": {"verification": [str(self.ids["verification"])]},
            "verify-ask": {"sample": [sample]},
            "view-change": {"name": "renamed"},
            "view-save": {"name": "fresh", "shared": "on"},
        }
        if method == "POST" and name in ("ingest", "api-ingests"):
            return {FILES[name]: SimpleUploadedFile("rows.jsonl", ROWS)}
        return bodies.get(name, {})


FILES = {"ingest": "files", "api-ingests": "file"}
# Prefixes of route names, and the object whose id the address contains.
KINDS = [
    ("api-bulk", "action"),
    ("bulk-", "action"),
    ("api-ingest", "ingest"),
    ("ingest", "ingest"),
    ("api-recipe", "recipe"),
    ("recipe", "recipe"),
    ("api-release", "release"),
    ("release", "release"),
    ("api-task", "task"),
    ("task", "task"),
    ("api-verification", "verification"),
    ("verification", "verification"),
    ("api-view", "view"),
    ("view-", "view"),
    ("saved-view", "view"),
    ("tag-", "tag"),
    ("token-", "token"),
]
