"""captum: why a network answers as it does, by six methods."""

import torch
from captum.attr import DeepLift, FeatureAblation, GradientShap, IntegratedGradients, LayerGradCam, Saliency
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = (2 * x[:, 0] - x[:, 3] > 0).long()
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(100):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
for method in (IntegratedGradients, Saliency, DeepLift, FeatureAblation, GradientShap):
    options = {"baselines": torch.zeros(4, 5)} if method is GradientShap else {}
    weight = method(model).attribute(x, target=1, **options).detach().abs().mean(0)
    print(method.__name__, [round(each, 4) for each in weight.tolist()])
    assert set(weight.topk(2).indices.tolist()) == {0, 3}
values, delta = IntegratedGradients(model).attribute(x[:4], target=1, return_convergence_delta=True)
assert delta.abs().max() < 0.1
images = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
print("grad-cam", tuple(LayerGradCam(images, images[0]).attribute(torch.randn(2, 1, 8, 8), target=0).shape))
