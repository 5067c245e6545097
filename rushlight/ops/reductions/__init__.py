"""Reductions: many elements folded into one, put in order, counted or summed up along a dimension."""
