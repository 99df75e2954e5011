"""``python -m sinew_rig``: the command ``sinew``."""

from ._command import main

main()
