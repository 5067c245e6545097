"""Agreement with PyTorch: runs both libraries on the same inputs and lists by name what differs."""
