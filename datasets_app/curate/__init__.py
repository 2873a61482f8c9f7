"""Curate: recipes choose samples, releases freeze what was chosen.

definition.py reads a recipe, selection.py applies it to rows (pure), store.py feeds it from the database,
recipes.py and freeze.py are what people do, rebuild.py checks a release later. Rules live in rules/.
recipe_versions.py reads and restores versions, changes.py says in words what differs, recipe_files.py writes and reads
JSON and TOML. contamination.py finds tasks that are like a benchmark's; compare.py and shift.py compare two recipes.
"""
