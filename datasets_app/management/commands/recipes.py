"""`manage.py recipes export [NAME ...]`, `recipes import FILE ...` and `recipes versions NAME`.

The last line of stdout is JSON, but that of an export without --out, which is the recipe itself.
"""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate.definition import RecipeError
from datasets_app.curate.recipe_files import FORMATS, write_recipe
from datasets_app.curate.recipe_import import import_recipe
from datasets_app.curate.recipe_versions import Named, find, history
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import Recipe


class Command(SiteCommand):
    help = "Write recipes to JSON or TOML files, store those of such files, or list a recipe's versions."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="write recipes to files, or one to stdout")
        export.add_argument("names", nargs="*", metavar="NAME", help="NAME@3 is version 3; none: all recipes")
        export.add_argument("--form", choices=FORMATS, default="json")
        export.add_argument("--out", type=Path, help="a folder; it gets NAME.json or NAME.toml")
        read = actions.add_parser("import", help="store the recipes of files")
        read.add_argument("files", nargs="+", metavar="FILE", help="JSON or TOML; - is stdin")
        read.add_argument("--name", default="", help="instead of the file's own; for one file")
        read.add_argument(
            "--as-version", action="store_true", help="change the recipe of that name, if there is one"
        )
        read.add_argument("--message", default="", help="what changed, and why")
        versions = actions.add_parser("versions", help="list a recipe's versions and what each changed")
        versions.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            {"export": self.export, "import": self.read, "versions": self.versions}[options["action"]](
                options
            )
        except RecipeError as error:
            raise CommandError("\n".join(error.faults.values())) from error

    def export(self, options: dict[str, Any]) -> None:
        names = options["names"] or list(Recipe.objects.values_list("name", flat=True))
        recipes = [found(name) for name in names]
        if options["out"] is None:
            if len(recipes) != 1:
                raise CommandError("Name one recipe, or a folder for the files with --out.")
            self.stdout.write(text(options["form"], recipes[0]), ending="")
            return
        options["out"].mkdir(parents=True, exist_ok=True)
        files = [options["out"] / f"{recipe.name}.{options['form']}" for recipe in recipes]
        for file, recipe in zip(files, recipes, strict=True):
            file.write_text(text(options["form"], recipe), encoding="utf-8", newline="")
        self.say({"files": [str(file) for file in files]})

    def read(self, options: dict[str, Any]) -> None:
        """Store every file that can be stored; exit 1 if any was refused, with the reasons."""
        if options["name"] and len(options["files"]) > 1:
            raise CommandError("--name is for one file.")
        stored: dict[str, str] = {}
        refused = 0
        for name in options["files"]:
            try:
                done = import_recipe(
                    COMMAND,
                    content(name),
                    name=options["name"],
                    as_version=options["as_version"],
                    message=options["message"],
                )
                stored[done.recipe.name] = done.result
            except RecipeError as error:
                refused += 1
                self.stderr.write("\n".join(f"{name}: {said}" for said in error.faults.values()))
        self.say({"recipes": stored, "refused": refused})
        if refused:
            sys.exit(1)

    def versions(self, options: dict[str, Any]) -> None:
        named = found(options["name"])
        assert named.recipe is not None  # of a stored recipe
        entries = history(named.recipe)
        for entry in entries:
            version = entry.version
            when, who = f"{version.created_at:%Y-%m-%d %H:%M}", version.created_by or ""
            self.stderr.write(f"{version.number:>4}  {when}  {who}  {version.message}")
            for change in entry.changes:
                self.stderr.write(f"      {change.words}")
        self.say({"name": named.name, "versions": [entry.version.number for entry in entries]})

    def say(self, data: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(data, ensure_ascii=False))


def found(name: str) -> Named:
    """Return the recipe. Raises CommandError."""
    named = find(name)
    if named is None:
        raise CommandError(
            f"There is no recipe {name!r}. Recipes: {', '.join(Recipe.objects.values_list('name', flat=True))}."
        )
    return named


def text(form: str, named: Named) -> str:
    assert named.recipe is not None  # of a stored recipe
    recipe = named.recipe
    return write_recipe(form, recipe.name, recipe.title, recipe.description, named.definition)


def content(name: str) -> str:
    """Return a file's text. Raises RecipeError."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise RecipeError({"recipe": f"The file cannot be read: {error.strerror}."}) from error
    except UnicodeDecodeError as error:
        raise RecipeError({"recipe": f"Not UTF-8 at byte {error.start}."}) from error
