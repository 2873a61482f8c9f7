"""Text that people type: which characters and lengths are accepted, for every form and every stage.

`validate.name_fault` (one line), `prose_fault` (several lines) and `storable_fault` (a text that is stored and not
shown) return a sentence for the person, or ''. Pages make `characters.HIDDEN` visible in the
texts that models wrote.
This package imports nothing of the project.
"""
