"""The runner: loads the candidate and makes the calls that the judge asks for. It knows no truth and no verdict."""
