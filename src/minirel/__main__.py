"""`python -m minirel` is the command line."""

from minirel.cli import main

if __name__ == "__main__":
    main()
