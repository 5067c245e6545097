"""torchensemble: voting, bagging, boosting, snapshots and adversarial training of small networks on digits"""

import logging

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchensemble import (
    AdversarialTrainingClassifier,
    BaggingClassifier,
    FusionClassifier,
    GradientBoostingClassifier,
    SnapshotEnsembleClassifier,
    VotingClassifier,
)

logging.disable(logging.INFO)
torch.manual_seed(0)
images, labels = load_digits(return_X_y=True)
x, y = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
known = DataLoader(TensorDataset(x[:1200], y[:1200]), batch_size=100, shuffle=True)
unknown = DataLoader(TensorDataset(x[1200:], y[1200:]), batch_size=200)


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, data):
        return self.network(data.view(data.size(0), -1))


for kind in (
    VotingClassifier,
    BaggingClassifier,
    FusionClassifier,
    GradientBoostingClassifier,
    SnapshotEnsembleClassifier,
    AdversarialTrainingClassifier,
):
    model = kind(
        estimator=Small,
        n_estimators=3,
        cuda=False,
        **({"n_jobs": 1} if kind in (VotingClassifier, BaggingClassifier) else {}),
    )
    model.set_criterion(nn.CrossEntropyLoss())
    model.set_optimizer("Adam", lr=1e-2)
    model.fit(known, epochs=6, save_model=False)
    share = model.evaluate(unknown)
    print(kind.__name__, share > 80)
    assert share > 80
