"""croissant.json of a release: its files and columns as machine-readable metadata, in MLCommons' Croissant 1.1.

Each Parquet file is a record set: a split in several files is several of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datasets_app.export.configs import DEFAULT_CONFIG, Config, configs
from datasets_app.export.types import Described, is_list, parts
from datasets_app.models import Export, Publication, Release

FILE = "croissant.json"
VERSION = "http://mlcommons.org/croissant/1.1"
PARQUET = "application/x-parquet"  # readers do not know the registered name
TYPES = {"string": "sc:Text", "float64": "sc:Float", "int64": "sc:Integer", "bool": "sc:Boolean"}
LIST = {"isArray": True, "arrayShape": "-1"}
KEYS = {"default": "uuid"}  # of other configs: id
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def metadata(release: Release, files: list[Export], licences: list[str]) -> dict[str, Any]:
    """Return the metadata of a release with these finished files; empty without one in Parquet."""
    found = configs(files)
    if not found:
        return {}
    records = [one for config in found for one in record_sets(config)]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        "name": release.name,
        "description": Publication.of(release).prose
        or release.title
        or f"Release {release.name} of the recipe {release.recipe_name}.",
        "license": [name or "no licence declared" for name in licences] or ["no licence declared"],
        "version": "1.0.0",  # a release never changes
        "datePublished": f"{release.finished_at:%Y-%m-%d}" if release.finished_at else "",
        "creator": {"@type": "sc:Organization", "name": "ConCuR Workbench"},
        "citeAs": f"Release {release.name}, content SHA-256 {release.content_sha256}",
        "isLiveDataset": False,
        "distribution": [one for config in found for one in distribution(config)],
        "recordSet": records,
    }


def distribution(config: Config) -> Iterator[dict[str, Any]]:
    for file in config.files:
        yield {
            "@type": "cr:FileObject",
            "@id": file.path,
            "name": file.path,
            "contentUrl": file.path,
            "contentSize": f"{file.size_bytes} B",
            "encodingFormat": PARQUET,
            "sha256": file.sha256,
        }


def record_sets(config: Config) -> Iterator[dict[str, Any]]:
    """Yield a record set per file: what the files of a split have in common is their name."""
    key = KEYS.get(config.name, "id")
    for file in config.files:
        ident = name_of(config, file)
        yield {
            "@type": "cr:RecordSet",
            "@id": ident,
            "name": ident,
            "description": f"{file.records:,} rows of the split {file.split}",
            "key": {"@id": f"{ident}/{key}"},
            "field": [field(ident, file.path, column) for column in config.columns],
        }


def name_of(config: Config, file: Export) -> str:
    """Return train, chat/train, or train/00001 where a split has several files."""
    alone = sum(other.split == file.split for other in config.files) == 1
    number = "" if alone else "/" + file.path.rpartition("/")[2].split("-")[1]
    return ("" if config.name == DEFAULT_CONFIG else f"{config.name}/") + file.split + number


def field(record_set: str, path: str, column: Described) -> dict[str, Any]:
    ident = f"{record_set}/{column.name}"
    made: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": ident,
        "name": column.name,
        "description": column.means,
    }
    source = {"fileObject": {"@id": path}, "extract": {"column": column.name}}
    if named := parts(column.type):
        subs = [
            {
                "@type": "cr:Field",
                "@id": f"{ident}/{name}",
                "name": name,
                "dataType": TYPES[type],
                "source": source | {"transform": {"jsonPath": name}},
            }
            for name, type in named.items()
        ]
        return made | {**LIST, "subField": subs}
    if is_list(column.type):
        return made | {**LIST, "dataType": TYPES[column.type[5:-1]], "source": source}
    return made | {"dataType": TYPES[column.type], "source": source}
