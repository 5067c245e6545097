"""Random programs: generated, run in two libraries, compared after every statement, shrunk and grouped."""
