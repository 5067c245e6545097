"""The machine behind every op: declaring, generating, calling, writing in place, rules, samples."""
