"""`python -m rushlight script.py`: run a program written for PyTorch, or use a tool of the command line."""

# PYTHON_ARGCOMPLETE_OK

from rushlight.cli import main

main()
