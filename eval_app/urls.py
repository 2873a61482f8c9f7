"""The verify stage: its pages, and its part of /api/v1/."""

from django.urls import path

from eval_app.api import batches, verifications
from eval_app.api import edits as edits_api
from eval_app.api import hosts as hosts_api
from eval_app.views import edit_runs, edits, hosts, operations, requests, verify

urlpatterns = [
    path("samples/<uuid:pk>/edit/", edits.propose, name="edit-propose"),
    path("edits/", edits.index, name="edits"),
    path("edits/<int:pk>/", edits.detail, name="edit"),
    path("edits/<int:pk>/runs/<uuid:run>/", edit_runs.detail, name="edit-run"),
    path("edits/<int:pk>/change/", edits.change, name="edit-change"),
    path("edits/<int:pk>/verify/", edits.verify, name="edit-verify"),
    path("edits/<int:pk>/accept/", edits.accept, name="edit-accept"),
    path("edits/<int:pk>/withdraw/", edits.withdraw, name="edit-withdraw"),
    path("operations/", operations.index, name="operations"),
    path("verify/", verify.index, name="verify"),
    path("verify/findings/", verify.findings, name="verify-findings"),
    path("verify/hosts/", hosts.index, name="verify-hosts"),
    path("verify/hosts/add/", hosts.add, name="verify-host-add"),
    path("verify/hosts/<slug:name>/rotate/", hosts.rotate, name="verify-host-rotate"),
    path("verify/hosts/<slug:name>/revoke/", hosts.revoke, name="verify-host-revoke"),
    path("verify/hosts/<slug:name>/pause/", hosts.hold, {"verb": "pause"}, name="verify-host-pause"),
    path("verify/hosts/<slug:name>/drain/", hosts.hold, {"verb": "drain"}, name="verify-host-drain"),
    path("verify/hosts/<slug:name>/resume/", hosts.hold, {"verb": "resume"}, name="verify-host-resume"),
    path("verify/new/", requests.preview, name="verify-new"),
    path("verify/batches/<uuid:pk>/cancel/", requests.cancel_batch, name="verify-batch-cancel"),
    path("verify/ask/", requests.ask, name="verify-ask"),
    path("verify/again/", requests.again, name="verify-again"),
    path("verify/samples/<uuid:pk>/", verify.of_sample, name="sample-evidence"),
    path(
        "verify/samples/<uuid:pk>/code/<slug:kind>/<uuid:other>/",
        verify.code_against,
        name="sample-code-against",
    ),
    path("verify/<uuid:pk>/", verify.detail, name="verification"),
    path("verify/<uuid:pk>/code/<slug:kind>/", verify.machine_code, name="verification-code"),
    path("verify/<uuid:pk>/cancel/", requests.cancel, name="verification-cancel"),
    path("verify/<uuid:pk>/report.json", verify.report, name="verification-report"),
]

api_urlpatterns = [
    path("edits/", edits_api.EditList.as_view(), name="api-edits"),
    path("edits/<int:pk>/", edits_api.EditDetail.as_view(), name="api-edit"),
    path("edits/<int:pk>/accept/", edits_api.EditAccept.as_view(), name="api-edit-accept"),
    path("edits/<int:pk>/withdraw/", edits_api.EditWithdraw.as_view(), name="api-edit-withdraw"),
    path("verifications/", verifications.VerificationList.as_view(), name="api-verifications"),
    path("verifications/<uuid:pk>/", verifications.VerificationDetail.as_view(), name="api-verification"),
    path("hosts/", hosts_api.HostList.as_view(), name="api-hosts"),
    path("hosts/<slug:name>/", hosts_api.HostDetail.as_view(), name="api-host"),
    path("verification-batches/", batches.BatchList.as_view(), name="api-verification-batches"),
    path(
        "verification-batches/<uuid:pk>/cancel/",
        batches.BatchCancel.as_view(),
        name="api-verification-batch-cancel",
    ),
]
