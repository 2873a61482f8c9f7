"""The engine's version, stored with every report so that results are only compared knowingly."""

ENGINE_VERSION = "1.2.0"
