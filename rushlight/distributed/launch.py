"""`python -m rushlight.distributed.launch`: the old name of `run`, which sets the variables that programs read."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.distributed import run

__all__ = ["launch", "main"]


def launch(args: Sequence[str]) -> int:
    """Start a job with these options; returns its exit code."""
    return run.run(run.parse_args([each for each in args if each not in ("--use-env", "--use_env")]))


def main(args: Sequence[str] | None = None) -> None:
    """What `python -m rushlight.distributed.launch` does."""
    import sys

    sys.exit(launch(sys.argv[1:] if args is None else args))


if __name__ == "__main__":
    main()
