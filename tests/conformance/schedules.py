"""The same optimizer and schedule in either library."""

import copy


def optimizer_of(library, method="SGD", rates=(0.1, 0.5)):
    groups = [{"params": [library.ones(2, requires_grad=True)], "lr": rate} for rate in rates]
    options = {"momentum": 0.9} if method == "SGD" else {}
    return getattr(library.optim, method)(groups, lr=0.3, **options)


def build(library, name, optimizer, options, **more):
    module = library.optim.swa_utils if name == "SWALR" else library.optim.lr_scheduler
    return getattr(module, name)(optimizer, **copy.deepcopy(options), **more)
