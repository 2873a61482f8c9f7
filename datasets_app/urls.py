"""URLs of the datasets app, by stage."""

from django.urls import path

from datasets_app.api.releases import ReleaseFile
from datasets_app.views import (
    account,
    analysis,
    bulk,
    clusters,
    curate,
    ingest,
    maintenance,
    query_line,
    releases,
    review,
    sample,
    saved_views,
    second_factor,
    tags,
)
from datasets_app.views.browse import as_json, browse
from datasets_app.views.task import task

urlpatterns = [
    # ingest
    path("ingest/", ingest.index, name="ingest"),
    path("ingest/<uuid:pk>/", ingest.detail, name="ingest-detail"),
    path("ingest/<uuid:pk>/again/", ingest.again, name="ingest-again"),
    path("ingest/<uuid:pk>/cancel/", ingest.cancel, name="ingest-cancel"),
    path("ingest/<uuid:pk>/refused/", ingest.refused, name="ingest-refused"),
    # browse
    path("browse/", browse, name="browse"),
    path("browse.json", as_json, name="browse-json"),
    path("browse/complete/", query_line.completions, name="browse-complete"),
    path("browse/histogram/<slug:name>/", query_line.range_histogram, name="browse-histogram"),
    path("browse/clusters/", clusters.clusters, name="browse-clusters"),
    path("browse/views/", saved_views.view_list, name="views"),
    path("browse/views/save/", saved_views.save, name="view-save"),
    path("browse/views/default/", saved_views.set_default, name="view-default"),
    path("browse/views/<int:pk>/", saved_views.open_view, name="saved-view"),
    path("browse/views/<int:pk>/change/", saved_views.change, name="view-change"),
    path("browse/views/<int:pk>/delete/", saved_views.delete, name="view-delete"),
    path("browse/views/<int:pk>/restore/", saved_views.restore, name="view-restore"),
    path("browse/tags/", tags.tag_list, name="tags"),
    path("browse/tags/save/", tags.save, name="tag-save"),
    path("browse/tags/<int:pk>/delete/", tags.delete, name="tag-delete"),
    path("browse/act/", bulk.act, name="bulk-act"),
    path("browse/act/choices/", bulk.choices, name="bulk-choices"),
    path("browse/actions/<uuid:pk>/", bulk.detail, name="bulk-action"),
    path("browse/actions/<uuid:pk>/undo/", bulk.undo, name="bulk-undo"),
    path("browse/actions/<uuid:pk>/dismiss/", bulk.dismiss, name="bulk-dismiss"),
    path("browse/actions/<uuid:pk>/file/", bulk.download, name="bulk-file"),
    path("samples/<uuid:pk>/", sample.sample, name="sample"),
    path("samples/<uuid:pk>/tags/", tags.of_sample, name="sample-tags"),
    path("samples/<uuid:pk>/against-pasted/", sample.against_pasted, name="sample-against-pasted"),
    path("samples/<uuid:pk>/lines/", sample.lines, name="sample-lines"),
    path("samples/<uuid:pk>/reading/", sample.reading, name="sample-reading"),
    path("samples/<uuid:pk>/neighbours/", sample.neighbours, name="sample-neighbours"),
    path("samples/<uuid:pk>/text/<slug:name>/", sample.text, name="sample-text"),
    path("tasks/<uuid:pk>/", task, name="task"),
    # review
    path("review/", review.queue, name="review"),
    path("review/next/", review.take_next, name="review-next"),
    path("review/<uuid:pk>/", review.review_sample, name="review-sample"),
    path("review/<uuid:pk>/draft/", review.draft, name="review-draft"),
    path("review/<uuid:pk>/draft/text/", review.other_text, name="review-draft-text"),
    path("review/<uuid:pk>/claim/", review.heartbeat, name="review-claim"),
    path("review/<uuid:pk>/skip/", review.skip, name="review-skip"),
    # curate
    path("curate/", curate.recipe_list, name="curate"),
    path("curate/new/", curate.new, name="recipe-new"),
    path("curate/compare/", curate.compare_recipes, name="recipe-compare"),
    path("curate/<slug:name>/", curate.recipe, name="recipe"),
    path("curate/<slug:name>/copy/", curate.copy, name="recipe-copy"),
    path("curate/<slug:name>/delete/", curate.delete, name="recipe-delete"),
    path("curate/<slug:name>/freeze/", curate.freeze_recipe, name="recipe-freeze"),
    # export
    path("releases/", releases.release_list, name="releases"),
    path("releases/<slug:name>/", releases.release, name="release"),
    path("releases/<slug:name>/retry/", releases.retry, name="release-retry"),
    path("releases/<slug:name>/export/", releases.export, name="release-export"),
    path("releases/<slug:name>/files/<path:path>", ReleaseFile.as_view(), name="release-file"),
    # analysis
    path("analysis/", analysis.analysis, name="analysis"),
    path("analysis/<slug:name>.csv", analysis.figure_csv, name="figure-csv"),
    path("analysis/<slug:name>/", analysis.figure, name="figure"),
    path("maintenance/", maintenance.page, name="maintenance"),
    path("maintenance/<slug:kind>/run/", maintenance.start, name="maintenance-run"),
    # the account
    path("account/", account.account, name="account"),
    path("account/password/", account.ChangePassword.as_view(), name="password_change"),
    path("account/second-step/", second_factor.page, name="second-factor"),
    path("account/second-step/on/", second_factor.turn_on, name="second-factor-on"),
    path("account/second-step/off/", second_factor.turn_off, name="second-factor-off"),
    path("account/second-step/codes/", second_factor.renew_codes, name="second-factor-codes"),
    path("account/tokens/", account.make, name="token-make"),
    path("account/tokens/<int:pk>/revoke/", account.revoke, name="token-revoke"),
]
