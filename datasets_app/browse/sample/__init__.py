"""The content of the sample page and the comparison page."""
