"""What the sample page and the comparison page show."""
