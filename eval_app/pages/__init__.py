"""Contents of the verify pages: what views and templates need, read and computed.

`evidence_view.evidence_view_of` reads a finished verification, `history` lists those of a sample, `listing` filters
them all, `overview` says what runs now. `machine_text` and `kernel_lines` are pure functions of text, which a child
process runs (datasets_app.bounded); they import no model. Nothing here changes a row.
"""
