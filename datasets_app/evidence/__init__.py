"""Evidence: decides which verification counts for a sample on a device. No other module decides this.

`record.refresh(sample_ids)` updates the rows of `Evidence` and the headline columns of `Sample` from the stored
verifications; code that stores or removes verifications calls it in the same transaction. `choose` selects the deciding
run of a sample on a device, `devices` names the reference device. Everything else reads the tables through the
querysets of Verification and Evidence. This package imports models and settings, and no stage.
"""
