"""timm: image models made by name, trained for a few steps, and their features."""

import timm
import torch

torch.manual_seed(0)
images, labels = torch.randn(4, 3, 32, 32), torch.tensor([0, 1, 2, 3])
for name, options in {
    "resnet10t": {},
    "vit_tiny_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 2},
    "mobilenetv3_small_050": {},
    "convnext_atto": {"depths": (1, 1, 1, 1)},
    "mixer_s32_224": {"img_size": 32, "patch_size": 8, "num_blocks": 2},
}.items():
    model = timm.create_model(name, pretrained=False, num_classes=4, **options)
    optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.01)
    losses = []
    for _ in range(6):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    count = sum(each.numel() for each in model.parameters())
    print(name, count, *(f"{each:.3f}" for each in losses[:3]), "features", tuple(model.forward_features(images).shape))
    assert losses[-1] < losses[0], losses
