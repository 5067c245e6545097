"""A siamese network learns distances of sequences from anchors, positives and negatives."""

import torch
from torch import nn
from torch.nn import functional as F

DIM, EMBEDDING, CLASSES, BATCH, STEPS = 20, 8, 5, 32, 60


class EmbeddingNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.convnet = nn.Sequential(
            nn.Conv1d(1, 8, 5), nn.PReLU(), nn.MaxPool1d(2, stride=2), nn.Conv1d(8, 16, 3), nn.PReLU(), nn.AvgPool1d(2)
        )
        self.fc = nn.Sequential(nn.LazyLinear(32), nn.PReLU(num_parameters=32), nn.Linear(32, EMBEDDING))

    def forward(self, x):
        output = self.convnet(x)
        output = output.view(output.size()[0], -1)
        return F.normalize(self.fc(output), p=2, dim=1)


class TripletNet(nn.Module):
    def __init__(self, embedding_net):
        super().__init__()
        self.embedding_net = embedding_net

    def forward(self, x1, x2, x3):
        return self.embedding_net(x1), self.embedding_net(x2), self.embedding_net(x3)

    def get_embedding(self, x):
        return self.embedding_net(x)


class ContrastiveLoss(nn.Module):
    """Of two embeddings and a flag: small if they are to be near and are, or are to be far and are."""

    def __init__(self, margin):
        super().__init__()
        self.margin = margin
        self.eps = 1e-9

    def forward(self, output1, output2, target, size_average=True):
        distances = (output2 - output1).pow(2).sum(1)
        losses = 0.5 * (
            target.float() * distances
            + (1 + -1 * target).float() * F.relu(self.margin - (distances + self.eps).sqrt()).pow(2)
        )
        return losses.mean() if size_average else losses.sum()


def draw(classes):
    """Sequences (N, 1, D) of the prototypes of some classes, moved, scaled and noisy."""
    scale = 0.5 + torch.rand(len(classes), 1)
    return (prototypes[classes] * scale + 0.4 * torch.randn(len(classes), DIM)).unsqueeze(1)


torch.manual_seed(0)
prototypes = torch.randn(CLASSES, DIM)
model = TripletNet(EmbeddingNet())
model.get_embedding(torch.zeros(1, 1, DIM))
print(model)
criterion = nn.TripletMarginLoss(margin=0.7, p=2)
cosine = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: 1 - F.cosine_similarity(a, b), swap=True)
contrastive = ContrastiveLoss(1.0)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS, eta_min=1e-4)
for step in range(STEPS):
    anchor = torch.randint(CLASSES, (BATCH,))
    negative = (anchor + torch.randint(1, CLASSES, (BATCH,))) % CLASSES
    a, p, n = model(draw(anchor), draw(anchor), draw(negative))
    loss = criterion(a, p, n)
    extra = (
        0.1 * cosine(a, p, n) + 0.1 * contrastive(a, n, torch.zeros(BATCH)) + 0.1 * contrastive(a, p, torch.ones(BATCH))
    )
    optimizer.zero_grad()
    (loss + extra).backward()
    optimizer.step()
    scheduler.step()
    active = (F.triplet_margin_loss(a, p, n, margin=0.7, reduction="none") > 0).sum().item()
    print(f"step {step} loss {loss.item():.6f} extra {extra.item():.6f} active {active}")

model.eval()
with torch.no_grad():
    classes = torch.arange(100) % CLASSES
    gallery = model.get_embedding(prototypes.unsqueeze(1))
    distances = torch.cdist(model.get_embedding(draw(classes)), gallery)
    pairwise = F.pairwise_distance(gallery[:1], gallery[1:])
    nearest = distances.argmin(dim=1)
print(f"right {(nearest == classes).double().mean():.3f} apart {pairwise.min():.4f}")
print(torch.bincount(nearest, minlength=CLASSES).tolist()[:1] != [0], distances.shape)
