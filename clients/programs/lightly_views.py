"""lightly: representations without labels by SimCLR, BYOL, Barlow Twins, VICReg and SwaV losses"""

import copy

import torch
from lightly.loss import BarlowTwinsLoss, NegativeCosineSimilarity, NTXentLoss, SwaVLoss, VICRegLoss
from lightly.models.modules import BYOLPredictionHead, BYOLProjectionHead, SimCLRProjectionHead, SwaVPrototypes
from lightly.models.utils import deactivate_requires_grad, update_momentum
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
images, labels = load_digits(return_X_y=True)
x = torch.tensor(images, dtype=torch.float32)[:512].view(-1, 1, 8, 8) / 16


def body():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(512, 32))


def view(batch):
    return batch * (0.8 + 0.4 * torch.rand(len(batch), 1, 1, 1)) + 0.1 * torch.randn_like(batch)


def train(name, parts, loss_of, rounds=12):
    optimizer = torch.optim.AdamW([each for part in parts for each in part.parameters() if each.requires_grad], lr=3e-3)
    losses = []
    for _ in range(rounds):
        for batch in x[torch.randperm(512)].split(128):
            loss = loss_of(view(batch), view(batch))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    print(f"{name}: {losses[0]:.2f} -> {sum(losses[-4:]) / 4:.2f}")
    assert sum(losses[-4:]) / 4 < losses[0]


backbone, head = body(), SimCLRProjectionHead(32, 32, 16)
for name, criterion in (("simclr", NTXentLoss()), ("barlow", BarlowTwinsLoss()), ("vicreg", VICRegLoss())):
    train(name, [backbone, head], lambda a, b, criterion=criterion: criterion(head(backbone(a)), head(backbone(b))))
backbone, head, guess = body(), BYOLProjectionHead(32, 32, 16), BYOLPredictionHead(16, 32, 16)
slow, slow_head = copy.deepcopy(backbone), copy.deepcopy(head)
deactivate_requires_grad(slow)
deactivate_requires_grad(slow_head)
criterion = NegativeCosineSimilarity()


def byol(a, b):
    update_momentum(backbone, slow, 0.99)
    update_momentum(head, slow_head, 0.99)
    p, q = guess(head(backbone(a))), guess(head(backbone(b)))
    with torch.no_grad():
        r, s = slow_head(slow(a)), slow_head(slow(b))
    return 0.5 * (criterion(p, s) + criterion(q, r))


train("byol", [backbone, head, guess], byol)
backbone, head, prototypes = body(), SimCLRProjectionHead(32, 32, 16), SwaVPrototypes(16, 20)
swav = SwaVLoss()


def swav_loss(a, b):
    prototypes.normalize()
    found = [prototypes(nn.functional.normalize(head(backbone(each)), dim=1)) for each in (a, b)]
    return swav(found, [])


train("swav", [backbone, head, prototypes], swav_loss)
