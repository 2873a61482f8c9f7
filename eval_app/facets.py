"""What verifications add to the facets of the list."""

from datasets_app.bits import Many, Touch, register

FINDINGS = """SELECT n.number, f.code FROM concur_sample_number n
    JOIN eval_app_verification v ON v.sample_id = n.sample_id AND v.state = 'done'
    JOIN eval_app_finding f ON f.verification_id = v.id
    WHERE n.number {rows} AND NOT EXISTS (
        SELECT 1 FROM eval_app_verification later
        WHERE later.sample_id = v.sample_id AND later.state = 'done'
        AND (later.finished_at, later.created_at, later.id) > (v.finished_at, v.created_at, v.id))"""


def register_facets() -> None:
    """Findings of the newest finished verification; they are stored in the transaction that finishes it."""
    watched = Touch("eval_app_verification", columns="state, outcome, finished_at")
    register(Many("finding", FINDINGS, touched=(watched,)))
