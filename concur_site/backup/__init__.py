"""`manage.py backup` and `restore`: a whole site in one file, taken while it runs.

`take.take_backup` writes the backup, `restore.restore` brings a site back from one, all or nothing. A backup is a
zip of one member per table (rows in the text form of PostgreSQL's COPY, see `cells`), the files of uploads and exports,
the secret key if the site generated it, and `manifest.json` with the versions, the migrations, the counts and the
SHA-256 of each member. SQLite and PostgreSQL write the same form, so that either restores the other's backups. Rows
and files are streamed: memory depends on the number of files, not on their sizes.

Derived tables (facet index, text index) are left out and built again. `left_out` in the manifest names everything
else that a backup does not hold.
"""
