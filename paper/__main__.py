"""`python -m paper` reruns the paper."""

from minirel.cli import launch


def main() -> None:
    """Run the command and exit with its code."""
    needed = ("typer", "rich", "pandas", "matplotlib")
    launch("paper.command", "python -m paper", needed=needed, extra="reproduce")


if __name__ == "__main__":
    main()
