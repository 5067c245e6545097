"""The table of transforms: ways to make each, and what to put in, over which every check goes.

A row is made in any library with torch's names: `make(rushlight, "ExpTransform")`. OURS has those that torch lacks.
"""

import numpy as np


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    return np.random.RandomState(seed).uniform(low, high, shape)


def tensor(library, values):
    return library.tensor(np.asarray(values).tolist(), dtype=library.float64)


def make(library, name):
    """The transform of a row."""
    return (ROWS | OURS)[name][0](library.distributions.transforms, lambda values: tensor(library, values))


def given(name):
    """Numbers that the transform of a row takes."""
    return (ROWS | OURS)[name][1]


PLAIN, POSITIVE = numbers(3, 4), numbers(3, 4, low=0.2, high=3.0)

ROWS = {
    "AbsTransform": (lambda t, of: t.AbsTransform(), PLAIN),
    "AffineTransform": (lambda t, of: t.AffineTransform(of(1.5), of([0.5, -2.0, 1.0, 3.0])), PLAIN),
    "AffineTransform of numbers": (lambda t, of: t.AffineTransform(-1, -0.5), PLAIN),
    "AffineTransform of vectors": (lambda t, of: t.AffineTransform(of(1.5), of(numbers(4)), event_dim=1), PLAIN),
    "AffineTransform of matrices": (lambda t, of: t.AffineTransform(0.0, 3.0, event_dim=2), PLAIN),
    "CatTransform": (
        lambda t, of: t.CatTransform([t.ExpTransform(), t.AffineTransform(0.0, 2.0)], dim=-1, lengths=[1, 3]),
        PLAIN,
    ),
    "CatTransform along the batch": (
        lambda t, of: t.CatTransform([t.ExpTransform(), t.TanhTransform()], 0, [2, 1]),
        PLAIN,
    ),
    "CatTransform of vectors": (
        lambda t, of: t.CatTransform(
            [t.AffineTransform(0.0, of(numbers(4)), event_dim=1), t.IndependentTransform(t.ExpTransform(), 1)],
            lengths=[2, 1],
        ),
        PLAIN,
    ),
    "ComposeTransform": (
        lambda t, of: t.ComposeTransform(
            [t.AffineTransform(0.5, -2.0), t.TanhTransform(), t.AffineTransform(1.0, 3.0)]
        ),
        PLAIN,
    ),
    "ComposeTransform over dims": (
        lambda t, of: t.ComposeTransform([t.ExpTransform(), t.AffineTransform(0.0, of(numbers(4)), event_dim=1)]),
        PLAIN,
    ),
    "CorrCholeskyTransform": (lambda t, of: t.CorrCholeskyTransform(), numbers(2, 6)),
    "CorrCholeskyTransform of pairs": (lambda t, of: t.CorrCholeskyTransform(), numbers(1)),
    "ExpTransform": (lambda t, of: t.ExpTransform(), PLAIN),
    "ExpTransform back": (lambda t, of: t.ExpTransform().inv, POSITIVE),
    "IndependentTransform": (lambda t, of: t.IndependentTransform(t.TanhTransform(), 1), PLAIN),
    "IndependentTransform over all": (lambda t, of: t.IndependentTransform(t.ExpTransform(), 2), PLAIN),
    "LowerCholeskyTransform": (lambda t, of: t.LowerCholeskyTransform(), numbers(2, 3, 3)),
    "PositiveDefiniteTransform": (lambda t, of: t.PositiveDefiniteTransform(), numbers(2, 3, 3)),
    "PowerTransform": (lambda t, of: t.PowerTransform(of([2.0, 0.5, -1.0, 3.0])), POSITIVE),
    "ReshapeTransform": (lambda t, of: t.ReshapeTransform((3, 4), (2, 6)), numbers(5, 3, 4)),
    "SigmoidTransform": (lambda t, of: t.SigmoidTransform(), PLAIN),
    "SoftmaxTransform": (lambda t, of: t.SoftmaxTransform(), PLAIN),
    "SoftplusTransform": (lambda t, of: t.SoftplusTransform(), PLAIN),
    "StackTransform": (
        lambda t, of: t.StackTransform([t.ExpTransform(), t.identity_transform, t.TanhTransform()]),
        PLAIN,
    ),
    "StackTransform along the last": (
        lambda t, of: t.StackTransform([t.SigmoidTransform(), t.AffineTransform(of(1.0), of(2.0))], -1),
        numbers(3, 2),
    ),
    "StickBreakingTransform": (lambda t, of: t.StickBreakingTransform(), PLAIN),
    "TanhTransform": (lambda t, of: t.TanhTransform(), PLAIN),
    "identity_transform": (lambda t, of: t.identity_transform, PLAIN),
}
OURS = {
    "SoftclipTransform": (lambda t, of: t.SoftclipTransform(-1.0, of([0.5, 1.0, 2.0, 3.0]), 0.5), PLAIN),
    "SoftclipTransform of numbers": (lambda t, of: t.SoftclipTransform(-1.0, 1.5), PLAIN),
    "SoftlowerTransform": (lambda t, of: t.SoftlowerTransform(-1.0, 0.3), PLAIN),
    "SoftsignTransform": (lambda t, of: t.SoftsignTransform(), PLAIN),
    "SoftupperTransform": (lambda t, of: t.SoftupperTransform(of([0.5, 1.0, 2.0, 3.0])), PLAIN),
    "SquashTransform": (lambda t, of: t.SquashTransform(-1.0, of([0.5, 1.0, 2.0, 3.0])), PLAIN),
    "SquashTransform of numbers": (lambda t, of: t.SquashTransform(-2.0, 2.0), PLAIN),
}
