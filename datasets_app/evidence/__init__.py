"""Which verification counts. The one place that says what a sample's runs come to on a device.

`record.refresh(sample_ids)` brings the rows of `Evidence` and the headline columns of `Sample` to what the stored
verifications say; whatever stores or removes verifications calls it in the same transaction. `choose` picks the run
that speaks for a sample on a device, `devices` names the reference device. Everything else reads the tables: the
querysets of Verification and Evidence are the vocabulary. This package imports models and settings, and no stage.
"""
