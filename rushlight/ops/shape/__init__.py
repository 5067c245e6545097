"""Shape: elements seen in other sizes, joined, split, copied or moved; views where memory allows."""
