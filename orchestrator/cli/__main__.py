"""`python -m orchestrator.cli`: the command, where its script is not on the path."""

from orchestrator.cli.main import run

if __name__ == "__main__":
    run()
