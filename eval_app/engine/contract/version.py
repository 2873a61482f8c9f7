"""The engine's version: stored with every report, so that two results are compared knowingly."""

ENGINE_VERSION = "1.1.0"
