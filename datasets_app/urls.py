"""The stages in order: a table of contents."""

from django.urls import path

from datasets_app.views import account, review, sample
from datasets_app.views.browse import browse
from datasets_app.views.pending import pending
from datasets_app.views.task import task

urlpatterns = [
    # ingest
    path("ingest/", pending, name="ingest"),
    path("ingest/<uuid:pk>/", pending, name="ingest-detail"),
    # browse
    path("browse/", browse, name="browse"),
    path("samples/<uuid:pk>/", sample.sample, name="sample"),
    path("samples/<uuid:pk>/text/<slug:name>/", sample.text, name="sample-text"),
    path("tasks/<uuid:pk>/", task, name="task"),
    # review
    path("review/", review.queue, name="review"),
    path("review/next/", review.take_next, name="review-next"),
    path("review/<uuid:pk>/", review.review_sample, name="review-sample"),
    path("review/<uuid:pk>/draft/", review.draft, name="review-draft"),
    path("review/<uuid:pk>/claim/", review.heartbeat, name="review-claim"),
    path("review/<uuid:pk>/skip/", review.skip, name="review-skip"),
    # curate
    path("curate/", pending, name="curate"),
    path("curate/<slug:name>/", pending, name="recipe"),
    # export
    path("releases/", pending, name="releases"),
    path("releases/<slug:name>/", pending, name="release"),
    path("releases/<slug:name>/files/<path:file>", pending, name="release-file"),
    # analysis
    path("analysis/", pending, name="analysis"),
    # the account
    path("account/", account.account, name="account"),
    path("account/password/", account.ChangePassword.as_view(), name="password_change"),
    path("account/tokens/", account.make, name="token-make"),
    path("account/tokens/<int:pk>/revoke/", account.revoke, name="token-revoke"),
]
