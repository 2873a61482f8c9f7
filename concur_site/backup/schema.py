"""The migrations of the database and of a backup: what a backup needs, and what this version can do for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps.registry import Apps, apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from concur_site.backup.backup_file import BackupError

Node = tuple[str, str]
# Migrations of earlier versions that stood for others, and that a later one replaced: sites and backups name them.
EARLIER: dict[Node, set[Node]] = {
    ("datasets_app", "0001_squashed_0002_indexes_roles_recipes"): {
        ("datasets_app", "0001_initial"),
        ("datasets_app", "0002_indexes_roles_recipes"),
    }
}


def executor() -> MigrationExecutor:
    return MigrationExecutor(connection)


def applied(of: MigrationExecutor) -> dict[str, list[str]]:
    """Return the applied migrations by app, of the apps that have any."""
    names: dict[str, list[str]] = {}
    for app, name in sorted(current(of, set(of.loader.applied_migrations))):
        if app in of.loader.migrated_apps:
            names.setdefault(app, []).append(name)
    return names


def current(of: MigrationExecutor, nodes: set[Node]) -> set[Node]:
    """Return the migrations with each group that one of this version replaces given as that one."""
    for node in nodes & EARLIER.keys():
        nodes = (nodes - {node}) | EARLIER[node]
    for node, migration in of.loader.disk_migrations.items():
        replaced = set(migration.replaces)
        if replaced and (node in nodes or replaced <= nodes):
            nodes = (nodes - replaced) | {node}
    return nodes


class Wanted:
    """The state of the migrations that a backup was made at."""

    def __init__(self, manifest: dict[str, Any]) -> None:
        """Raises BackupError for a state that this version does not know."""
        self.version = str(manifest.get("version", "unknown"))
        self.names: dict[str, list[str]] = manifest["migrations"]
        self.executor = executor()
        stated = {(app, name) for app, names in self.names.items() for name in names}
        self.nodes = current(self.executor, stated)
        if unknown := sorted(self.nodes - set(self.executor.loader.disk_migrations)):
            raise BackupError(
                f"The backup was made by a newer version ({self.version}): it has the migration "
                f"{'.'.join(unknown[-1])}, which this version lacks. Install that version and restore with it. "
                "Nothing was changed."
            )

    @property
    def targets(self) -> list[Node]:
        """Return the last migrations of each app."""
        graph = self.executor.loader.graph
        return sorted(
            node
            for node in self.nodes
            if not any(child.key in self.nodes and child.key[0] == node[0] for child in children(graph, node))
        )

    @property
    def is_current(self) -> bool:
        """Return whether this version has no further migration."""
        return self.nodes == set(self.executor.loader.graph.nodes)

    def apps(self) -> Apps:
        """Return the models at this state."""
        if self.is_current:
            return apps
        return self.executor.loader.project_state(self.targets).apps

    def prepare(self, site_is_empty: bool) -> None:
        """Bring the database's tables to this state. Raises BackupError where that would lose something."""
        before = {(app, name) for app, names in applied(self.executor).items() for name in names}
        if before == self.nodes:
            return
        if before - self.nodes:
            raise BackupError(
                f"The backup was made by an older version ({self.version}) and this database has newer tables: "
                "restore into a new database (an empty CONCUR_DATA_DIR, or DATABASE_URL of an empty one); it is "
                "brought up to date afterwards. Nothing was changed."
            )
        if not site_is_empty:
            raise BackupError(
                "This database is older than the backup: run `manage.py migrate` first. Nothing was changed."
            )
        if self.is_current:
            call_command("migrate", interactive=False, verbosity=0)
        else:  # the restore migrates further when the rows are in, with all that follows a migration
            self.executor.migrate(self.targets)


def children(graph: Any, node: Node) -> Iterable[Any]:
    return graph.node_map[node].children
