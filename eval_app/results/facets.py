"""What verifications add to the facets of the list."""

from datasets_app.db.facet_index import Many, Touch, register

# From the samples to their own verifications, whatever the planner knows of the tables: SQLite takes a CROSS JOIN in
# the order in which it is written, and no database looks for an expression in the index of all that are done.
FINDINGS = """SELECT n.number, f.code FROM concur_sample_number n
    CROSS JOIN datasets_app_verification v
    CROSS JOIN datasets_app_finding f
    WHERE n.number {rows} AND v.sample_id = n.sample_id AND v.state || '' = 'done' AND f.verification_id = v.id
    AND NOT EXISTS (
        SELECT 1 FROM datasets_app_verification later
        WHERE later.sample_id = v.sample_id AND later.state || '' = 'done'
        AND (later.finished_at, later.created_at, later.id) > (v.finished_at, v.created_at, v.id))"""


def register_facets() -> None:
    """Findings of the newest finished verification; they are stored in the transaction that finishes it."""
    watched = Touch("datasets_app_verification", columns="state, outcome, finished_at")
    register(Many("finding", FINDINGS, touched=(watched,)))
