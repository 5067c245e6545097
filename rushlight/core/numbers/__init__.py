"""The kinds of number a tensor may hold, and how they mix."""
