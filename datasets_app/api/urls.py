"""URLs of /api/v1/, by stage."""

from django.urls import path

from datasets_app.api import bulk_actions, ingests, loops, runs, syntheses, viewer
from datasets_app.api.agreement import AgreementReport
from datasets_app.api.inbox import Inbox
from datasets_app.api.leaderboard import Leaderboard
from datasets_app.api.neighbours import SampleNeighbours
from datasets_app.api.notes import NoteDetail, NoteEntries, NoteList
from datasets_app.api.preferences import PreferenceList, PreferencePairs, PreferenceWithdraw, TaskRanking
from datasets_app.api.published import ReleasePublication
from datasets_app.api.queues import QueueClose, QueueDetail, QueueList, QueueOpen, QueueTopUp
from datasets_app.api.recipe_versions import RecipeVersionDetail, RecipeVersionList
from datasets_app.api.recipes import RecipeDetail, RecipeList
from datasets_app.api.release_difference import ReleaseDifference
from datasets_app.api.release_exports import ReleaseExports
from datasets_app.api.releases import ReleaseDetail, ReleaseFile, ReleaseList
from datasets_app.api.reviews import ReviewList, ReviewWithdraw
from datasets_app.api.rubrics import RubricDetail, RubricList
from datasets_app.api.samples import SampleDetail, SampleList
from datasets_app.api.suggestions import SuggestionAgreement, SuggestionList, SuggestionWithdraw
from datasets_app.api.tags import TagDetail, TagList
from datasets_app.api.tasks import TaskDetail, TaskList
from datasets_app.api.views import SavedViewDetail, SavedViewList
from datasets_app.api.withdrawals import IngestRestore, IngestUndoView, SampleRestore, SampleWithdraw

urlpatterns: list = [
    # synthesize
    path("syntheses/", syntheses.SynthesisList.as_view(), name="api-syntheses"),
    path("syntheses/<uuid:pk>/", syntheses.SynthesisDetail.as_view(), name="api-synthesis"),
    path(
        "syntheses/<uuid:pk>/candidates/", syntheses.CandidateList.as_view(), name="api-synthesis-candidates"
    ),
    path(
        "syntheses/<uuid:pk>/candidates/<int:candidate>/",
        syntheses.CandidateDetail.as_view(),
        name="api-synthesis-candidate",
    ),
    path("syntheses/<uuid:pk>/refine/", syntheses.SynthesisRefine.as_view(), name="api-synthesis-refine"),
    path("syntheses/<uuid:pk>/loop/", loops.SynthesisLoop.as_view(), name="api-synthesis-loop"),
    path("loops/", loops.LoopList.as_view(), name="api-loops"),
    path("loops/<uuid:pk>/", loops.LoopDetail.as_view(), name="api-loop"),
    path("loops/<uuid:pk>/cancel/", loops.LoopCancel.as_view(), name="api-loop-cancel"),
    path("loops/<uuid:pk>/continue/", loops.LoopContinue.as_view(), name="api-loop-continue"),
    path("syntheses/<uuid:pk>/cancel/", syntheses.SynthesisCancel.as_view(), name="api-synthesis-cancel"),
    path(
        "syntheses/<uuid:pk>/continue/", syntheses.SynthesisContinue.as_view(), name="api-synthesis-continue"
    ),
    # ingest
    path("ingests/", ingests.IngestList.as_view(), name="api-ingests"),
    path("ingests/<uuid:pk>/", ingests.IngestDetail.as_view(), name="api-ingest"),
    path("ingests/<uuid:pk>/cancel/", ingests.IngestCancel.as_view(), name="api-ingest-cancel"),
    path("ingests/<uuid:pk>/undo/", IngestUndoView.as_view(), name="api-ingest-undo"),
    path("ingests/<uuid:pk>/restore/", IngestRestore.as_view(), name="api-ingest-restore"),
    path("ingests/<uuid:pk>/refused/", ingests.IngestRefused.as_view(), name="api-ingest-refused"),
    # browse
    path("samples/", SampleList.as_view(), name="api-samples"),
    path("samples/<uuid:pk>/", SampleDetail.as_view(), name="api-sample"),
    path("samples/<uuid:pk>/withdraw/", SampleWithdraw.as_view(), name="api-sample-withdraw"),
    path("samples/<uuid:pk>/restore/", SampleRestore.as_view(), name="api-sample-restore"),
    path("samples/<uuid:pk>/neighbours/", SampleNeighbours.as_view(), name="api-neighbours"),
    path("tasks/", TaskList.as_view(), name="api-tasks"),
    path("tasks/<uuid:pk>/", TaskDetail.as_view(), name="api-task"),
    path("tasks/<uuid:pk>/ranking/", TaskRanking.as_view(), name="api-task-ranking"),
    path("tags/", TagList.as_view(), name="api-tags"),
    path("tags/<path:name>/", TagDetail.as_view(), name="api-tag"),
    path("views/", SavedViewList.as_view(), name="api-views"),
    path("views/<int:pk>/", SavedViewDetail.as_view(), name="api-view"),
    path("bulk-actions/", bulk_actions.BulkActionList.as_view(), name="api-bulk-actions"),
    path("bulk-actions/<uuid:pk>/", bulk_actions.BulkActionDetail.as_view(), name="api-bulk-action"),
    path("bulk-actions/<uuid:pk>/file/", bulk_actions.BulkActionFile.as_view(), name="api-bulk-file"),
    path("bulk-actions/<uuid:pk>/undo/", bulk_actions.BulkActionUndo.as_view(), name="api-bulk-undo"),
    # analysis
    path("leaderboard/", Leaderboard.as_view(), name="api-leaderboard"),
    path("runs/", runs.RunList.as_view(), name="api-runs"),
    path("runs/<uuid:pk>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<uuid:pk>/tables/<slug:name>/", runs.RunTable.as_view(), name="api-run-table"),
    # review
    path("agreement/", AgreementReport.as_view(), name="api-agreement"),
    path("rubric/", RubricList.as_view(), name="api-rubric"),
    path("rubric/<int:pk>/", RubricDetail.as_view(), name="api-rubric-version"),
    path("queues/", QueueList.as_view(), name="api-queues"),
    path("queues/<int:pk>/", QueueDetail.as_view(), name="api-queue"),
    path("queues/<int:pk>/open/", QueueOpen.as_view(), name="api-queue-open"),
    path("queues/<int:pk>/top-up/", QueueTopUp.as_view(), name="api-queue-top-up"),
    path("queues/<int:pk>/close/", QueueClose.as_view(), name="api-queue-close"),
    path("reviews/", ReviewList.as_view(), name="api-reviews"),
    path("reviews/<int:pk>/withdraw/", ReviewWithdraw.as_view(), name="api-review-withdraw"),
    path("inbox/", Inbox.as_view(), name="api-inbox"),
    path("notes/", NoteList.as_view(), name="api-notes"),
    path("notes/<uuid:pk>/", NoteDetail.as_view(), name="api-note"),
    path("notes/<uuid:pk>/entries/", NoteEntries.as_view(), name="api-note-entries"),
    path("suggestions/", SuggestionList.as_view(), name="api-suggestions"),
    path("suggestions/agreement/", SuggestionAgreement.as_view(), name="api-suggestion-agreement"),
    path("suggestions/<uuid:pk>/withdraw/", SuggestionWithdraw.as_view(), name="api-suggestion-withdraw"),
    path("preferences/", PreferenceList.as_view(), name="api-preferences"),
    path("preferences/pairs/", PreferencePairs.as_view(), name="api-preference-pairs"),
    path("preferences/<uuid:pk>/withdraw/", PreferenceWithdraw.as_view(), name="api-preference-withdraw"),
    # curate
    path("recipes/", RecipeList.as_view(), name="api-recipes"),
    path("recipes/<slug:name>/", RecipeDetail.as_view(), name="api-recipe"),
    path("recipes/<slug:name>/versions/", RecipeVersionList.as_view(), name="api-recipe-versions"),
    path(
        "recipes/<slug:name>/versions/<int:number>/",
        RecipeVersionDetail.as_view(),
        name="api-recipe-version",
    ),
    # export
    path("releases/", ReleaseList.as_view(), name="api-releases"),
    path("releases/<slug:name>/", ReleaseDetail.as_view(), name="api-release"),
    path("releases/<slug:name>/publication/", ReleasePublication.as_view(), name="api-release-publication"),
    path("releases/<slug:name>/exports/", ReleaseExports.as_view(), name="api-release-exports"),
    path("releases/<slug:name>/difference/", ReleaseDifference.as_view(), name="api-release-difference"),
    path("releases/<slug:name>/splits/", viewer.ReleaseSplits.as_view(), name="api-release-splits"),
    path("releases/<slug:name>/rows/", viewer.ReleaseRows.as_view(), name="api-release-rows"),
    path("releases/<slug:name>/search/", viewer.ReleaseSearch.as_view(), name="api-release-search"),
    path("releases/<slug:name>/filter/", viewer.ReleaseFilter.as_view(), name="api-release-filter"),
    path("releases/<slug:name>/parquet/", viewer.ReleaseParquet.as_view(), name="api-release-parquet"),
    path("releases/<slug:name>/size/", viewer.ReleaseSize.as_view(), name="api-release-size"),
    path(
        "releases/<slug:name>/statistics/", viewer.ReleaseStatistics.as_view(), name="api-release-statistics"
    ),
    path("releases/<slug:name>/files/<path:path>", ReleaseFile.as_view(), name="api-release-file"),
]
