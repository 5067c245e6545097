"""The parts of `benchmarks.scan`: what is called, how it grows, the processes that call it, and what was found."""
