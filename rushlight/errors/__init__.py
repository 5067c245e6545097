"""All words that teach: what went wrong, on which of the user's lines, and what to write instead."""
