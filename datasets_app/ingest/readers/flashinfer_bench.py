"""FlashInfer-Bench's trace set: definitions, solutions, workloads and traces as JSON, in the folders of its repository.

A definition is a task, with its first workload; a solution is a sample; each trace of it is what the set claims.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from datasets_app.ingest import archives
from datasets_app.ingest.flashinfer_form import candidate, reference_program
from datasets_app.ingest.limits import (
    DEVICE_CHARS,
    EXTERNAL_ID_CHARS,
    GENERATOR_CHARS,
    MAX_BESIDE_BYTES,
    MAX_CLAIMS,
    NAME_CHARS,
)
from datasets_app.ingest.no_program import joined_files
from datasets_app.ingest.registry import LIKELY, NO, Origin, Reader, leftover, refuse
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.source_file import ARCHIVES, Peek, SourceFile
from datasets_app.ingest.values import clean, extra, is_finite, label, mapping
from datasets_app.models.source_claim import Quantity, SourceClaim

FILE = re.compile(r"(?:^|/)(definitions|solutions|workloads|traces)/(?:[^/]+/)*[^/]+\.jsonl?$")
SUITE = "FlashInfer-Bench"
MEASURED = (
    ("performance", "speedup_factor", Quantity.SPEEDUP, "the reference"),
    ("performance", "latency_ms", Quantity.TIME, ""),
    ("performance", "reference_latency_ms", Quantity.REFERENCE_TIME, ""),
    ("correctness", "max_absolute_error", Quantity.ABSOLUTE_ERROR, ""),
    ("correctness", "max_relative_error", Quantity.RELATIVE_ERROR, ""),
)
LANGUAGES = {"cuda": "cuda", "triton": "triton", "python": "python", "cpp": "cpp"}
Json = dict[str, Any]


class FlashInferBenchReader(Reader):
    """A solution of one Python file becomes a program; one in several files or in CUDA is kept as its files."""

    name, title = "flashinfer-bench", "FlashInfer-Bench trace set (folder, .zip, .tar)"
    columns = ("definition", "workload", "solution", "traces")
    program_field, kernel_field = "definition", "solution"
    origin = Origin(SUITE, "https://huggingface.co/datasets/flashinfer-ai/flashinfer-trace", "Apache-2.0")

    def recognises(self, peek: Peek) -> int:
        if peek.kind not in ARCHIVES:
            return super().recognises(peek)
        folders = {match[1] for path in peek.paths if (match := FILE.search(path))}
        return LIKELY if "definitions" in folders else NO

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        if file.kind() not in ARCHIVES:
            yield from super().read(file)
            return
        read = objects_by_folder(file)
        definitions = {named(item, "name"): item for item in read["definitions"]}
        traces, workloads = by_key(read["traces"], "solution"), by_key(read["workloads"], "definition")
        # A trace names its workload too; a set without workload files has those alone.
        for trace in read["traces"]:
            workloads[named(trace, "definition")].append(trace)
        solved = {named(solution, "definition") for solution in read["solutions"]}
        alone = [{"definition": name} for name in definitions if name not in solved]
        for line, solution in enumerate([*read["solutions"], *alone], start=1):
            name = named(solution, "definition")
            first = next((item.get("workload") for item in workloads[name]), None)
            values = {
                "definition": definitions.get(name),
                "workload": first,
                "solution": solution if "sources" in solution else None,
                "traces": [
                    trace for trace in traces[named(solution, "name")] if named(trace, "definition") == name
                ],
            }
            record = Record(line, values)
            if values["definition"] is None:
                yield refuse(record, RowError("definition", f"{name} is not in this set", name))
                continue
            yield self.row_or_refusal(record, file)

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        definition, workload = mapping(values, "definition"), mapping(values, "workload")
        name = label(definition, "name", NAME_CHARS)
        task = TaskPart(
            program=clean("definition", reference_program(definition, workload)),
            name=name,
            suite=SUITE,
            external_id=name[:EXTERNAL_ID_CHARS],
            extra=leftover(definition, "name", "reference") | ({"workload": workload} if workload else {}),
        )
        solution = mapping(values, "solution")
        traces = [extra(trace) for trace in values.get("traces") or () if isinstance(trace, Mapping)]
        return Row(
            record, task, sample_of(definition, workload, solution, traces, file) if solution else None
        )


def sample_of(
    definition: Json, workload: Json, solution: Json, traces: Sequence[Mapping[str, Any]], file: SourceFile
) -> SamplePart:
    program, spec = candidate(definition, solution), mapping(solution, "spec")
    judged = [trace["evaluation"] for trace in traces if isinstance(trace.get("evaluation"), Mapping)]
    language = LANGUAGES.get(str(spec.get("language") or "").lower(), "")
    return SamplePart(
        kernel=clean(
            "solution", program or joined_files(files_of(solution), "#" if language != "cuda" else "//")
        ),
        generator=label(solution, "author", GENERATOR_CHARS),
        language=language,
        external_id=label(solution, "name", NAME_CHARS)[:EXTERNAL_ID_CHARS],
        claimed_speedup=speedup_on(workload, traces),
        claimed_correct=all(one.get("status") == "PASSED" for one in judged) if judged else None,
        claimed_device=file.device or device_of(judged),
        claims=tuple(claim for trace in traces for claim in claims(trace))[:MAX_CLAIMS],
        is_program=program is not None,
        extra=leftover(solution, "name", "author", "definition", "sources") | {"statuses": statuses(judged)},
    )


def files_of(solution: Json) -> dict[str, str]:
    sources = solution.get("sources")
    files = {
        str(source.get("path")): source["content"]
        for source in (sources if isinstance(sources, list) else ())
        if isinstance(source, Mapping) and isinstance(source.get("content"), str)
    }
    if not files:
        raise RowError("solution", "has no source files", sources)
    return files


def objects_by_folder(file: SourceFile) -> dict[str, list[Json]]:
    """Return the objects of every JSON and JSONL file by the folder that says what they are. Raises IngestError."""
    found: dict[str, list[Json]] = defaultdict(list)
    for path, content in archives.members(file, FILE, MAX_BESIDE_BYTES):
        match = FILE.search(path)
        texts = content.split(b"\n") if path.endswith(".jsonl") else [content]
        try:
            read = [json.loads(text) for text in texts if text.strip()]
        except (ValueError, RecursionError) as error:
            raise IngestError(f"{path} is not JSON: {error}.") from error
        found[match[1] if match else ""] += [item for item in read if isinstance(item, dict)]
    return found


def by_key(items: list[Json], key: str) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = defaultdict(list)
    for item in items:
        found[named(item, key)].append(item)
    return found


def named(item: Mapping[str, Any], key: str) -> str:
    """Return the name under a key; empty if there is none, or something that is no name."""
    return name if isinstance(name := item.get(key), str) else ""


def claims(trace: Mapping[str, Any]) -> Iterator[SourceClaim]:
    """Yield what one trace says in numbers, for its workload and on its hardware."""
    evaluation, workload = trace.get("evaluation"), trace.get("workload")
    if not isinstance(evaluation, Mapping):
        return
    device, on = device_of([evaluation]), workload_name(workload if isinstance(workload, Mapping) else {})
    for group, field, quantity, over in MEASURED:
        part = evaluation.get(group)
        value = part.get(field) if isinstance(part, Mapping) else None
        if is_finite(value):
            yield SourceClaim(quantity, float(value), over, device, on)


def workload_name(workload: Mapping[str, Any]) -> str:
    axes = workload.get("axes")
    sizes = ", ".join(f"{name}={size}" for name, size in axes.items()) if isinstance(axes, Mapping) else ""
    return (sizes or str(workload.get("uuid") or ""))[:NAME_CHARS]


def speedup_on(workload: Json, traces: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the claimed speedup on the workload that the task is made of."""
    for trace in traces:
        for claim in claims(trace) if trace.get("workload") == workload else ():
            if claim.quantity == Quantity.SPEEDUP and claim.value > 0:
                return claim.value
    return None


def device_of(evaluations: list[Any]) -> str:
    names = {
        str(environment.get("hardware") or "")
        for one in evaluations
        if isinstance(environment := one.get("environment"), Mapping)
    }
    return names.pop()[:DEVICE_CHARS] if len(names) == 1 else ""


def statuses(evaluations: list[Any]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for one in evaluations:
        found[str(one.get("status"))[:40]] += 1
    return dict(found)
