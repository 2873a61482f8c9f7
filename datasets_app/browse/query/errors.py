class BrowseError(ValueError):
    """An invalid filter. `errors`: parameter to sentences, each of which says what to do."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        self.errors = errors
        self.sentences = [sentence for sentences in errors.values() for sentence in sentences]
        super().__init__(" ".join(self.sentences))
