"""What the pages of the verify stage show that is no list of verifications.

`hosts`: the hosts that may verify. `machine_text` and `kernel_lines`: machine code, and the lines of a kernel that
findings speak of; pure functions of text, which a child process runs (datasets_app.bounded) and which import no model.
"""
