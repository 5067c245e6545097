"""What a tensor is: its fields, attributes, conversions and printed form."""
