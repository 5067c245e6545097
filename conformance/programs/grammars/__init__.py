"""Grammars: functions that draw one statement each; a family is a mixture of them."""

from conformance.programs.grammars import (
    autograd,
    calls,
    compositions,
    creation,
    distributions,
    everyday,
    indexing,
    modules,
    optimizers,
    promotion,
    randomness,
    states,
    sundry,
    training,
    transforms,
    views,
    writes,
)

# family: what makes its first values, then the grammars with their weights
_MIXTURES = {
    "views": (
        creation.tensor,
        {views.view: 5, writes.write: 5, creation.tensor: 1, calls.pointwise: 2, autograd.small: 2},
    ),
    "autograd": (creation.floats, {calls.pointwise: 5, views.view: 2, writes.write: 2, autograd.statement: 8}),
    "indexing": (creation.tensor, {indexing.read: 4, indexing.assign: 5, views.view: 1, autograd.small: 1}),
    "promotion": (creation.any_dtype, {promotion.statement: 8, creation.any_dtype: 2, writes.write: 2}),
    "calls": (creation.tensor, {calls.registered: 8, views.view: 2, autograd.small: 1}),
    "modules": (creation.floats, {modules.statement: 8, autograd.small: 1, calls.pointwise: 1}),
    "optimizers": (creation.floats, {optimizers.statement: 9, modules.statement: 2}),
    "distributions": (creation.floats, {distributions.statement: 9, views.view: 1, autograd.small: 1}),
    "random": (creation.floats, {randomness.statement: 8, views.view: 1, writes.write: 1}),
    "everyday": (creation.tensor, {everyday.statement: 8, creation.tensor: 1, calls.pointwise: 1, autograd.small: 2}),
    "sundry": (sundry.created, {sundry.statement: 1}),
    "training": (training.modelled, {training.statement: 1}),
    "states": (creation.floats, {states.statement: 1}),
    "transforms": (
        creation.floats,
        {transforms.statement: 8, calls.pointwise: 2, writes.write: 1, views.view: 1, autograd.small: 3},
    ),
    "compositions": (compositions.data, {compositions.statement: 6, compositions.data: 3, autograd.small: 1}),
    "mixed": (
        creation.tensor,
        {
            views.view: 3,
            writes.write: 3,
            calls.pointwise: 3,
            calls.registered: 3,
            autograd.statement: 3,
            indexing.read: 1,
            indexing.assign: 2,
            promotion.statement: 1,
            modules.statement: 1,
            randomness.statement: 1,
        },
    ),
}

# drawn where they are named alone: of the Jacobians of compositions one in eight lies otherwise in memory than torch's
BY_NAME = {"compositions"}
FAMILIES = {name: (begin, list(parts), list(parts.values())) for name, (begin, parts) in _MIXTURES.items()}
