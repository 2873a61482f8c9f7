"""Validates text that people type: accepted characters and lengths, for every form and every stage.

`validate.name_fault` (one line), `prose_fault` (several lines) and `storable_fault` (text that is stored and not shown)
return an error message, or ''; `validate.FieldsError` carries one per invalid field. Pages make `characters.HIDDEN`
visible in the texts that models wrote. This package imports nothing of the project.
"""
