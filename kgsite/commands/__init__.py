"""One module for each command that is more than a few lines of `cli.py`."""
