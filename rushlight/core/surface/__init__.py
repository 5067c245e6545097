"""How the public packages show their names."""
