"""The site of documentation: what is gathered and generated before MkDocs builds it, and how its code is run."""
