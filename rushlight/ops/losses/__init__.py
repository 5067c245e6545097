"""Losses: how far an answer is from the right one."""
