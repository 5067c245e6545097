"""torch's random stream: the generator and what is drawn from it."""
