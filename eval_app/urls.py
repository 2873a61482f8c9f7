"""The verify stage: its pages, and its part of /api/v1/."""

from django.urls import path

from eval_app import api
from eval_app.views import hosts, verify

urlpatterns = [
    path("verify/", verify.index, name="verify"),
    path("verify/findings/", verify.findings, name="verify-findings"),
    path("verify/hosts/", hosts.index, name="verify-hosts"),
    path("verify/hosts/add/", hosts.add, name="verify-host-add"),
    path("verify/hosts/<slug:name>/rotate/", hosts.rotate, name="verify-host-rotate"),
    path("verify/hosts/<slug:name>/revoke/", hosts.revoke, name="verify-host-revoke"),
    path("verify/ask/", verify.ask, name="verify-ask"),
    path("verify/again/", verify.again, name="verify-again"),
    path("verify/samples/<uuid:pk>/", verify.of_sample, name="sample-evidence"),
    path(
        "verify/samples/<uuid:pk>/code/<slug:kind>/<uuid:other>/",
        verify.code_against,
        name="sample-code-against",
    ),
    path("verify/<uuid:pk>/", verify.detail, name="verification"),
    path("verify/<uuid:pk>/code/<slug:kind>/", verify.machine_code, name="verification-code"),
    path("verify/<uuid:pk>/cancel/", verify.cancel, name="verification-cancel"),
    path("verify/<uuid:pk>/report.json", verify.report, name="verification-report"),
]

api_urlpatterns = [
    path("verifications/", api.VerificationList.as_view(), name="api-verifications"),
    path("verifications/<uuid:pk>/", api.VerificationDetail.as_view(), name="api-verification"),
]
