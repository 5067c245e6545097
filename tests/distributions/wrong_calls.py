"""Calls that are refused: the error's type, its leading words, and the call in any library with torch's names."""

WRONG_CALLS = [
    (ValueError, "Either `probs` or `logits` must be specified, but not both.", lambda t, d: d.Binomial(3)),
    (ValueError, "Either `probs` or `logits` must be specified", lambda t, d: d.Geometric(0.5, 0.5)),
    (ValueError, "Either `probs` or `logits` must be specified", lambda t, d: d.NegativeBinomial(3)),
    (ValueError, "Either `probs` or `logits` must be specified", lambda t, d: d.ContinuousBernoulli()),
    (ValueError, "Either `probs` or `logits` must be specified", lambda t, d: d.OneHotCategorical()),
    (ValueError, "Either `probs` or `logits` must be specified", lambda t, d: d.Multinomial(3)),
    (
        ValueError,
        "Expected parameter concentration (Tensor of shape (2, 2)) of distribution Dirichlet(concentration: "
        "torch.Size([2, 2])) to satisfy the constraint IndependentConstraint(GreaterThan(lower_bound=0.0), 1), but "
        "found invalid values:\n",
        lambda t, d: d.Beta(t.tensor([1.0, -2.0]), 1.0),
    ),
    (
        ValueError,
        "Expected parameter rate (Tensor of shape (3,)) of distribution Exponential(rate: torch.Size([3])) to satisfy "
        "the constraint GreaterThan(lower_bound=0.0), but found invalid values:\ntensor([1., 0., 2.])",
        lambda t, d: d.Exponential(t.tensor([1.0, 0.0, 2.0])),
    ),
    (ValueError, "Expected parameter df (Tensor of shape ()) of distribution Chi2()", lambda t, d: d.Chi2(-1.0)),
    (ValueError, "Expected parameter total_count", lambda t, d: d.Binomial(2.5, t.tensor(0.5))),
    (ValueError, "Expected parameter probs", lambda t, d: d.NegativeBinomial(2, t.tensor(1.0))),
    (
        ValueError,
        "Expected parameter low (Tensor of shape ()) of distribution Uniform(low: 2.0, high: 1.0) to satisfy the "
        "constraint LessThan(upper_bound=1.0), but found invalid values:\n2.0",
        lambda t, d: d.Uniform(2.0, 1.0),
    ),
    (
        ValueError,
        "Expected parameter probs (Tensor of shape (2,)) of distribution Geometric(probs: torch.Size([2])) to be "
        "positive but found invalid values:\ntensor([0.])",
        lambda t, d: d.Geometric(t.tensor([0.5, 0.0])),
    ),
    (
        ValueError,
        "The parameter probs has invalid values",
        lambda t, d: d.ContinuousBernoulli(t.tensor(1.5), validate_args=True),
    ),
    (
        ValueError,
        "Expected dim to be an integer greater than or equal to 2. Found dim=1.",
        lambda t, d: d.LKJCholesky(1),
    ),
    (ValueError, "`concentration` parameter must be at least one-dim", lambda t, d: d.Dirichlet(t.tensor(1.0))),
    (
        NotImplementedError,
        "inhomogeneous total_count is not supported",
        lambda t, d: d.Multinomial(t.tensor([1, 2]), t.ones(2, 2)),
    ),
    (
        NotImplementedError,
        "Inhomogeneous total count not supported by `entropy`.",
        lambda t, d: d.Binomial(t.tensor([1, 2]), t.tensor(0.5)).entropy(),
    ),
    (
        NotImplementedError,
        "Inhomogeneous total count not supported by `enumerate_support`.",
        lambda t, d: d.Binomial(t.tensor([1, 2]), t.tensor(0.5)).enumerate_support(),
    ),
    (ValueError, "loc must be at least one-dimensional.", lambda t, d: d.MultivariateNormal(t.tensor(1.0), t.eye(1))),
    (
        ValueError,
        "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.",
        lambda t, d: d.MultivariateNormal(t.zeros(2)),
    ),
    (
        ValueError,
        "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.",
        lambda t, d: d.MultivariateNormal(t.zeros(2), t.eye(2), t.eye(2)),
    ),
    (
        ValueError,
        "scale_tril matrix must be at least two-dimensional, with optional leading batch dimensions",
        lambda t, d: d.MultivariateNormal(t.zeros(2), scale_tril=t.ones(2)),
    ),
    (
        ValueError,
        "precision_matrix must be at least two-dimensional, with optional leading batch dimensions",
        lambda t, d: d.MultivariateNormal(t.zeros(2), precision_matrix=t.ones(2)),
    ),
    (
        ValueError,
        "Expected parameter covariance_matrix (Tensor of shape (2, 2)) of distribution MultivariateNormal(loc: "
        "torch.Size([2]), covariance_matrix: torch.Size([2, 2])) to satisfy the constraint PositiveDefinite(), but "
        "found invalid values:\ntensor([[1., 2.],\n        [2., 1.]])",
        lambda t, d: d.MultivariateNormal(t.zeros(2), t.tensor([[1.0, 2.0], [2.0, 1.0]])),
    ),
    (
        ValueError,
        "Expected parameter scale_tril (Tensor of shape (2, 2)) of distribution MultivariateNormal",
        lambda t, d: d.MultivariateNormal(t.zeros(2), scale_tril=t.ones(2, 2)),
    ),
    (
        AssertionError,
        "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.",
        lambda t, d: d.Wishart(t.tensor(3.0)),
    ),
    (
        ValueError,
        "scale_tril must be at least two-dimensional, with optional leading batch dimensions",
        lambda t, d: d.Wishart(t.tensor(3.0), t.ones(2)),
    ),
    (
        ValueError,
        "Value of df=1.0 expected to be greater than ndim - 1 = 1.",
        lambda t, d: d.Wishart(t.tensor(1.0), t.eye(2)),
    ),
    (
        UserWarning,
        "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
        lambda t, d: d.Wishart(t.tensor(1.5), t.eye(2)),
    ),
    (
        ValueError,
        "loc must be at least one-dimensional.",
        lambda t, d: d.LowRankMultivariateNormal(t.tensor(1.0), t.ones(1, 1), t.ones(1)),
    ),
    (
        ValueError,
        "cov_factor must be at least two-dimensional, with optional leading batch dimensions",
        lambda t, d: d.LowRankMultivariateNormal(t.ones(2), t.ones(2), t.ones(2)),
    ),
    (
        ValueError,
        "cov_factor must be a batch of matrices with shape 2 x m",
        lambda t, d: d.LowRankMultivariateNormal(t.ones(2), t.ones(3, 1), t.ones(2)),
    ),
    (
        ValueError,
        "cov_diag must be a batch of vectors with shape torch.Size([2])",
        lambda t, d: d.LowRankMultivariateNormal(t.ones(2), t.ones(2, 1), t.ones(3)),
    ),
    (
        ValueError,
        "Incompatible batch shapes: loc torch.Size([2, 2]), cov_factor torch.Size([3, 2, 1]), cov_diag torch.Size([2])",
        lambda t, d: d.LowRankMultivariateNormal(t.ones(2, 2), t.ones(3, 2, 1), t.ones(2)),
    ),
    (
        ValueError,
        "Expected value argument (Tensor of shape (2,)) to be within the support (Multinomial()) of the distribution "
        "Multinomial(), but found invalid values:\ntensor([3., 1.])",
        lambda t, d: d.Multinomial(3, t.ones(2)).log_prob(t.tensor([3.0, 1.0])),
    ),
    (
        ValueError,
        "Expected value argument (Tensor of shape (2,)) to be within the support (OneHot())",
        lambda t, d: d.OneHotCategorical(t.ones(2)).log_prob(t.tensor([1.0, 1.0])),
    ),
    (ValueError, "Expected value argument", lambda t, d: d.Gamma(1.0, 1.0).log_prob(t.tensor(-1.0))),
    (ValueError, "Expected value argument", lambda t, d: d.Poisson(1.0).log_prob(t.tensor(0.5))),
    (ValueError, "Expected value argument", lambda t, d: d.Uniform(0.0, 1.0).log_prob(t.tensor(2.0))),
    (ValueError, "Expected value argument", lambda t, d: d.Dirichlet(t.ones(2)).log_prob(t.tensor([0.5, 0.6]))),
    (ValueError, "Expected value argument", lambda t, d: d.LKJCholesky(2).log_prob(t.ones(2, 2))),
    (
        ValueError,
        "The right-most size of value must match event_shape",
        lambda t, d: d.Dirichlet(t.ones(2)).log_prob(t.ones(3)),
    ),
    (ValueError, "diag (2) provided is outside [-2, 1].", lambda t, d: d.utils.tril_matrix_to_vec(t.eye(2), 2)),
    (
        ValueError,
        "The size of last dimension is 5 which cannot be expressed as the lower triangular part of a square D x D "
        "matrix.",
        lambda t, d: d.utils.vec_to_tril_matrix(t.ones(5)),
    ),
    (
        AssertionError,
        "All elements of cseq must be Constraint instances",
        lambda t, d: d.constraints.stack([d.constraints.real, 1]),
    ),
    (
        AssertionError,
        "lengths (1) must match cseq (2)",
        lambda t, d: d.constraints.cat([d.constraints.real] * 2, lengths=[1]),
    ),
    (
        AssertionError,
        "dim 1 out of range for value with 1 dimensions",
        lambda t, d: d.constraints.cat([d.constraints.real], 1).check(t.ones(2)),
    ),
    (
        AssertionError,
        "base_constraint must be a Constraint, got int",
        lambda t, d: d.constraints.MixtureSameFamilyConstraint(1),
    ),
]
