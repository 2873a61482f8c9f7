"""The stages in order: a table of contents."""

from django.urls import path

from datasets_app.api.releases import ReleaseFile
from datasets_app.views import analysis, curate, releases, sample
from datasets_app.views.browse import browse
from datasets_app.views.pending import pending

urlpatterns = [
    # ingest
    path("ingest/", pending, name="ingest"),
    path("ingest/<uuid:pk>/", pending, name="ingest-detail"),
    # browse
    path("browse/", browse, name="browse"),
    path("samples/<uuid:pk>/", sample.sample, name="sample"),
    path("samples/<uuid:pk>/text/<slug:name>/", sample.text, name="sample-text"),
    path("tasks/<uuid:pk>/", pending, name="task"),
    # review
    path("review/", pending, name="review"),
    path("review/<uuid:pk>/", pending, name="review-sample"),
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
]
