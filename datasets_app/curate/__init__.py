"""Curate: recipes choose samples, releases freeze what was chosen.

definition.py reads a recipe, selection.py applies it to rows (pure), store.py feeds it from the database,
recipes.py and freeze.py are what people do, rebuild.py checks a release later. Rules live in rules/.
"""
