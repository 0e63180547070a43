"""`python -m kgsite`."""

from kgsite.cli import main

if __name__ == "__main__":
    main(prog_name="kgsite")
