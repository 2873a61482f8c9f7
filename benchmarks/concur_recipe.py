"""Applies ConCuR's recipe and its four ablations to a made population of its size, and checks that each chooses
exactly what was planted.

    python -m benchmarks concur_recipe

18,162 tasks of 5 samples, without a database: the rules alone. Prints rows by criterion and seconds, and writes
benchmarks/results/concur_recipe.json. Exits 1 if a choice differs from the plan.
"""

import json
import os
import platform
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

import django

django.setup()

from benchmarks._concur_population import Population, Size, expected  # noqa: E402
from benchmarks._results import write_figures  # noqa: E402
from datasets_app.curate.builtin import BUILTIN, CONCUR_ROWS  # noqa: E402
from datasets_app.curate.definition import parse  # noqa: E402
from datasets_app.curate.selection import Selection, apply  # noqa: E402

WITHOUT = {
    "concur": "",
    "concur-without-concise": "fastest_is_shortest",
    "concur-without-fast": "fastest_above",
    "concur-without-balance": "single_operator",
}


def main() -> int:
    population = Population(Size())
    recipes = {name: measured(name, population) for name in (*WITHOUT, "concur-random")}
    result = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores shared with other work, Python "
        f"{platform.python_version()}",
        "load_average": round(os.getloadavg()[0], 2),
        "tasks": population.size.tasks,
        "samples": len(population.rows),
        "correct": population.size.correct,
        "recipes": recipes,
    }
    write_figures(result, "concur_recipe")
    print(json.dumps(result, indent=1))
    return 0 if all(recipe["as_planted"] for recipe in recipes.values()) else 1


def measured(name: str, population: Population) -> dict[str, Any]:
    definition = parse(BUILTIN[name]["definition"])
    begun = time.process_time()
    selection = apply(definition, population.rows)
    return {
        "rows": len(selection.chosen),
        "by_criterion": dict(Counter(chosen.reason for chosen in selection.chosen)),
        "as_planted": is_as_planted(name, selection, population),
        "cpu_seconds": round(time.process_time() - begun, 2),
    }


def is_as_planted(name: str, selection: Selection, population: Population) -> bool:
    chosen = {entry.row.id: entry.reason for entry in selection.chosen}
    if name in WITHOUT:
        return chosen == expected(population.plan, population.size.single, WITHOUT[name])
    tasks = {entry.row.task for entry in selection.chosen}
    solved = {task.task for task in population.plan}
    passed = all(entry.row.outcome == "passed" for entry in selection.chosen)
    return len(chosen) == len(tasks) == CONCUR_ROWS and tasks <= solved and passed


if __name__ == "__main__":
    sys.exit(main())
