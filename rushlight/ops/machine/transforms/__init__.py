"""Function transforms: what a level does with a call. See docs/design/0007-transforms.md."""
