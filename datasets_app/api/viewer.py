"""/api/v1/releases/NAME/rows/ and its like: the dataset API of the Hub's viewer, for one release."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.api.permissions import ReadsReleases
from datasets_app.api.published import find_release
from datasets_app.export.columns import COLUMNS
from datasets_app.export.configs import DEFAULT_CONFIG
from datasets_app.export.types import is_list, parts
from datasets_app.export.viewer import rows, statistics
from datasets_app.export.viewer.rows import RowPage, ViewerError
from datasets_app.export.viewer.where import LONGEST_FILTER
from datasets_app.models import Export, JobState, Release, Split

CONFIG = DEFAULT_CONFIG  # of the release's own rows; others are views of the same rows
FARTHEST = 10_000_000
NO_SPLIT = f'"{{input}}" is no split; the splits are {", ".join(Split.values)}.'


def feature(type: str) -> dict[str, Any]:
    """Return a column's type as the Hub's viewer names it."""
    if not is_list(type):
        return {"dtype": type, "_type": "Value"}
    named = {name: feature(part) for name, part in parts(type).items()}
    return {"feature": named or feature(type.removeprefix("list<").removesuffix(">")), "_type": "List"}


FEATURES = [
    {"feature_idx": place, "name": column.name, "type": feature(column.type)}
    for place, column in enumerate(COLUMNS)
]


class SplitQuery(serializers.Serializer[Any]):
    """Which split."""

    config = serializers.ChoiceField(choices=[CONFIG], default=CONFIG)
    split = serializers.ChoiceField(choices=Split.choices, error_messages={"invalid_choice": NO_SPLIT})


class RowsQuery(SplitQuery):
    """Which rows."""

    offset = serializers.IntegerField(min_value=0, max_value=FARTHEST, default=0)
    length = serializers.IntegerField(min_value=1, max_value=rows.MOST_ROWS, default=rows.MOST_ROWS)


class SearchQuery(RowsQuery):
    query = serializers.CharField(
        max_length=rows.LONGEST_SEARCH, help_text="words of the program, trace or kernel"
    )


class FilterQuery(RowsQuery):
    where = serializers.CharField(
        max_length=LONGEST_FILTER,
        required=False,
        default="",
        help_text="such as \"speedup_over_eager\" > 2 AND language = 'cuda'",
    )
    orderby = serializers.CharField(
        max_length=100, required=False, default="", help_text="a column, then perhaps DESC"
    )


class SplitEntry(serializers.Serializer[Any]):
    """A split of a release."""

    dataset = serializers.CharField()
    config = serializers.CharField()
    split = serializers.CharField()


class SplitsAnswer(serializers.Serializer[Any]):
    """The splits that have rows."""

    splits = SplitEntry(many=True)
    pending = serializers.ListField()
    failed = serializers.ListField()


class ShownRow(serializers.Serializer[Any]):
    """One row. A text of more than 10,000 characters is cut, and its column is named in `truncated_cells`."""

    row_idx = serializers.IntegerField()
    row = serializers.DictField()
    truncated_cells = serializers.ListField(child=serializers.CharField())


class RowsAnswer(serializers.Serializer[Any]):
    """A page of rows; `num_rows_total` counts those that match in the split."""

    features = serializers.ListField(child=serializers.DictField())
    rows = ShownRow(many=True)
    num_rows_total = serializers.IntegerField()
    num_rows_per_page = serializers.IntegerField()
    partial: Any = serializers.BooleanField()


class ParquetFile(SplitEntry):
    """A Parquet file of a release."""

    url = serializers.URLField()
    filename = serializers.CharField()
    size = serializers.IntegerField()


class ParquetAnswer(serializers.Serializer[Any]):
    """The Parquet files that are finished."""

    parquet_files = ParquetFile(many=True)
    pending = serializers.ListField()
    failed = serializers.ListField()
    partial: Any = serializers.BooleanField()


class SizeAnswer(serializers.Serializer[Any]):
    """Rows and bytes of the release and of each split."""

    size = serializers.DictField()
    pending = serializers.ListField()
    failed = serializers.ListField()
    partial: Any = serializers.BooleanField()


class StatisticsAnswer(serializers.Serializer[Any]):
    """Statistics per column, over all rows of the split: `partial`, a key of the Hub's answer, is always false."""

    num_examples = serializers.IntegerField()
    statistics = serializers.ListField(child=serializers.DictField())
    partial: Any = serializers.BooleanField()


class ViewerView(GenericAPIView[Release]):
    queryset = Release.objects.none()
    permission_classes = [ReadsReleases]
    pagination_class = None

    def find(self, name: str) -> Release:
        return find_release(name, actor_of(self.request))

    def asked(self, query: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        wanted = query(data=self.request.query_params)
        wanted.is_valid(raise_exception=True)
        return dict(wanted.validated_data)

    def handle_exception(self, exc: Exception) -> Any:
        if isinstance(exc, ViewerError):
            exc = ValidationError({exc.field: [str(exc)]})
        return super().handle_exception(exc)


def as_answer(page: RowPage) -> Response:
    shown = [{"row_idx": row.index, "row": row.cells, "truncated_cells": row.cut} for row in page.rows]
    counts = {"num_rows_total": page.total, "num_rows_per_page": rows.MOST_ROWS, "partial": False}
    return Response({"features": FEATURES, "rows": shown, **counts})


def entry(release: Release, split: str, config: str = CONFIG) -> dict[str, str]:
    return {"dataset": release.hub_id, "config": config, "split": split}


class ReleaseSplits(ViewerView):
    serializer_class = SplitsAnswer

    def get(self, request: Request, name: str) -> Response:
        """The splits of a release."""
        release = self.find(name)
        found = [entry(release, split) for split, _ in release.splits]
        return Response({"splits": found, "pending": [], "failed": []})


class ReleaseRows(ViewerView):
    serializer_class = RowsAnswer

    @extend_schema(parameters=[RowsQuery])
    def get(self, request: Request, name: str) -> Response:
        """Rows of a split by their place, at most 100."""
        release, asked = self.find(name), self.asked(RowsQuery)
        return as_answer(rows.page(release, asked["split"], asked["offset"], asked["length"]))


class ReleaseSearch(ViewerView):
    serializer_class = RowsAnswer

    @extend_schema(parameters=[SearchQuery])
    def get(self, request: Request, name: str) -> Response:
        """Rows of a split whose program, trace and kernel together contain all the words."""
        release, asked = self.find(name), self.asked(SearchQuery)
        found = rows.page(release, asked["split"], asked["offset"], asked["length"], query=asked["query"])
        return as_answer(found)


class ReleaseFilter(ViewerView):
    serializer_class = RowsAnswer

    @extend_schema(parameters=[FilterQuery])
    def get(self, request: Request, name: str) -> Response:
        """Rows of a split that a condition on its columns lets through, perhaps in the order of a column."""
        release, asked = self.find(name), self.asked(FilterQuery)
        found = rows.ordered_page(
            release, asked["split"], asked["offset"], asked["length"], asked["where"], asked["orderby"]
        )
        return as_answer(found)


class ReleaseParquet(ViewerView):
    serializer_class = ParquetAnswer

    def get(self, request: Request, name: str) -> Response:
        """The Parquet files of a release, with their addresses."""
        release = self.find(name)
        found = [self.described(release, file) for file in parquet_files(release)]
        return Response({"parquet_files": found, "pending": [], "failed": [], "partial": False})

    def described(self, release: Release, file: Export) -> dict[str, Any]:
        address = reverse("api-release-file", args=[release.name, file.path])
        url = self.request.build_absolute_uri(address)
        facts = {"url": url, "filename": file.path.rsplit("/", 1)[-1], "size": file.size_bytes}
        return {**entry(release, file.split, config_of(file)), **facts}


class ReleaseSize(ViewerView):
    serializer_class = SizeAnswer

    def get(self, request: Request, name: str) -> Response:
        """Rows and bytes of a release's own Parquet files, together and by split."""
        release = self.find(name)
        files = [file for file in parquet_files(release) if config_of(file) == CONFIG]
        splits = [
            {
                **entry(release, split),
                "num_rows": count,
                "num_columns": len(COLUMNS),
                "num_bytes_parquet_files": sum(file.size_bytes for file in files if file.split == split),
            }
            for split, count in release.splits
        ]
        total = {
            "dataset": release.hub_id,
            "num_rows": release.row_count,
            "num_bytes_parquet_files": sum(file.size_bytes for file in files),
        }
        size = {"dataset": total, "configs": [{**total, "config": CONFIG, "num_columns": len(COLUMNS)}]}
        return Response({"size": {**size, "splits": splits}, "pending": [], "failed": [], "partial": False})


def parquet_files(release: Release) -> list[Export]:
    found = release.exports.filter(state=JobState.DONE, path__endswith=".parquet")
    return list(found.order_by("path"))


def config_of(file: Export) -> str:
    folder = file.path.rsplit("/", 1)[0]
    return CONFIG if folder == "data" else folder


class ReleaseStatistics(ViewerView):
    serializer_class = StatisticsAnswer

    @extend_schema(parameters=[SplitQuery])
    def get(self, request: Request, name: str) -> Response:
        """Statistics of each frozen column of a split: empty values, ranges, histograms, frequencies."""
        release, asked = self.find(name), self.asked(SplitQuery)
        return Response(statistics.of_split(release, asked["split"]))
