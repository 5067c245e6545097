"""pykan: networks whose edges are splines learn a formula, are pruned, and say what the formula is"""

import tempfile

import torch
from kan import KAN, create_dataset

with tempfile.TemporaryDirectory() as folder:
    model = KAN(width=[2, 3, 1], grid=3, k=3, seed=1, ckpt_path=folder, auto_save=False, device="cpu")
    dataset = create_dataset(
        lambda x: torch.exp(torch.sin(torch.pi * x[:, [0]]) + x[:, [1]] ** 2),
        n_var=2,
        train_num=300,
        test_num=100,
        seed=0,
    )
    found = model.fit(dataset, opt="LBFGS", steps=20, lamb=0.001)
    print("fitted", found["test_loss"][-1] < 0.2)
    assert found["test_loss"][-1] < 0.2
    model = model.prune()
    found = model.fit(dataset, opt="LBFGS", steps=15)
    finer = model.refine(6)
    again = finer.fit(dataset, opt="LBFGS", steps=15)
    print("pruned to", model.width, "refined", again["test_loss"][-1] < 0.05)
    finer.fix_symbolic(0, 0, 0, "sin", verbose=False)
    print("symbol", finer.symbolic_fun[0].funs_name[0][0])
