"""A program that reads a release as anybody would: `HF_ENDPOINT=… python hub_client.py REPOSITORY FOLDER STEP…`.

It prints what each client got, as one line of JSON. The clients read HF_ENDPOINT when they are imported, so that it
runs in a process of its own.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def loaded(repository: str, folder: Path) -> Any:
    from datasets import load_dataset

    found = load_dataset(repository)
    return {split: list(found[split]["uuid"]) for split in found}


def streamed(repository: str, folder: Path) -> Any:
    from datasets import load_dataset

    return [row["uuid"] for row in load_dataset(repository, split="train", streaming=True)]


def one_file(repository: str, folder: Path) -> Any:
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(repository, "recipe.json", repo_type="dataset")).read_text()


def snapshot(repository: str, folder: Path) -> Any:
    from huggingface_hub import snapshot_download

    snapshot_download(repository, repo_type="dataset", local_dir=folder / "copy")
    paths = (path.relative_to(folder / "copy") for path in (folder / "copy").rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in paths if path.parts[0] != ".cache")


def file_system(repository: str, folder: Path) -> Any:
    from huggingface_hub import HfFileSystem

    files, root = HfFileSystem(), f"datasets/{repository}"
    with files.open(f"{root}/README.md") as file:
        file.seek(4)
        part = file.read(11).decode()
    return {
        "found": files.glob(f"{root}/data/*.parquet"),
        "folders": sorted(one["name"] for one in files.ls(root) if one["type"] == "directory"),
        "there": [files.exists(f"{root}/LICENSE"), files.exists(f"{root}/nothing.txt")],
        "part": part,
    }


def information(repository: str, folder: Path) -> Any:
    from huggingface_hub import HfApi

    found = HfApi().dataset_info(repository, files_metadata=True)
    again = HfApi().dataset_info(repository, revision=found.sha)
    refs = HfApi().list_repo_refs(repository, repo_type="dataset")
    return {
        "sha": found.sha,
        "again": again.sha,
        "private": found.private,
        "sizes": {file.rfilename: file.size for file in found.siblings},
        "branches": [(branch.name, branch.target_commit) for branch in refs.branches],
    }


def columns(repository: str, folder: Path) -> Any:
    """Read two columns of a remote Parquet file by ranges, as pandas does with hf:// addresses."""
    import pandas

    path = f"hf://datasets/{repository}/data/train-00000-of-00001.parquet"
    return list(pandas.read_parquet(path, columns=["uuid", "speedup_over_eager"])["uuid"])


def modified(repository: str, folder: Path) -> Any:
    from huggingface_hub import HfFileSystem

    root = f"datasets/{repository}"
    return [str(HfFileSystem().modified(f"{root}/{path}")) for path in ("README.md", "data")]


def by_duckdb(repository: str, folder: Path) -> Any:
    """Query all files of a split through the file system that huggingface_hub makes."""
    import duckdb
    from huggingface_hub import HfFileSystem

    connection = duckdb.connect()
    connection.register_filesystem(HfFileSystem())
    files = f"hf://datasets/{repository}/data/train-*.parquet"
    found = connection.execute(f"SELECT uuid FROM '{files}'").fetchall()
    return [uuid for (uuid,) in found]


def by_polars(repository: str, folder: Path) -> Any:
    """Read a file that the same file system opened, and without a token one by its plain address as well."""
    import polars
    from huggingface_hub import HfFileSystem, get_token, hf_hub_url

    path = "data/train-00000-of-00001.parquet"
    with HfFileSystem().open(f"datasets/{repository}/{path}") as file:
        opened = polars.read_parquet(file, columns=["uuid"])
    if not get_token():
        url = hf_hub_url(repository, path, repo_type="dataset")
        assert polars.read_parquet(url, columns=["uuid"]).equals(opened)
    return opened["uuid"].to_list()


def refusals(repository: str, folder: Path) -> Any:
    from huggingface_hub import HfApi, hf_hub_download

    def fault(ask: Callable[[], Any]) -> list[str]:
        try:
            ask()
        except Exception as error:
            return [type(error).__name__, str(error)]
        return ["nothing", ""]

    namespace = repository.split("/")[0]
    return {
        "file": fault(lambda: hf_hub_download(repository, "nothing.txt", repo_type="dataset")),
        "revision": fault(lambda: HfApi().dataset_info(repository, revision="v9")),
        "repository": fault(lambda: HfApi().dataset_info(f"{namespace}/nothing")),
        "private": fault(lambda: HfApi().dataset_info(f"{namespace}/secret")),
    }


STEPS = (
    loaded,
    streamed,
    one_file,
    snapshot,
    file_system,
    information,
    columns,
    modified,
    by_duckdb,
    by_polars,
    refusals,
)

if __name__ == "__main__":
    wanted = sys.argv[3:]
    results = {
        step.__name__: step(sys.argv[1], Path(sys.argv[2])) for step in STEPS if step.__name__ in wanted
    }
    print(json.dumps(results))
