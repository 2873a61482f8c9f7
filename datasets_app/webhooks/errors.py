class WebhookError(ValueError):
    """What cannot be stored or sent; the message says why and what to do. `field` names the input."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field
