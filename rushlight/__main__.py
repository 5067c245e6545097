"""`python -m rushlight script.py`: run a program written for PyTorch."""

from rushlight.cli import main

main()
