"""torchmetrics: classification, regression, text and image metrics, gathered in a collection."""

import torch
import torchmetrics
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAUROC, MulticlassAccuracy, MulticlassConfusionMatrix, MulticlassF1Score
from torchmetrics.image import PeakSignalNoiseRatio, StructuralSimilarityIndexMeasure
from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef, R2Score, SpearmanCorrCoef

torch.manual_seed(0)
scores, labels = torch.randn(200, 4).softmax(-1), torch.randint(0, 4, (200,))
collection = MetricCollection(
    {"accuracy": MulticlassAccuracy(4), "f1": MulticlassF1Score(4), "confusion": MulticlassConfusionMatrix(4)}
)
for part, target in zip(scores.split(50), labels.split(50), strict=True):
    collection.update(part, target)
results = collection.compute()
print({name: value.tolist() if value.dim() else round(value.item(), 5) for name, value in results.items()})
assert results["confusion"].sum() == 200
auroc = BinaryAUROC()
print(f"auroc {auroc(torch.rand(100), torch.randint(0, 2, (100,))).item():.5f}")
x = torch.randn(100)
y = 2 * x + torch.randn(100)
for metric in (MeanSquaredError(), PearsonCorrCoef(), R2Score(), SpearmanCorrCoef()):
    print(type(metric).__name__, f"{metric(x, y).item():.5f}")
image = torch.rand(2, 3, 16, 16)
noisy = (image + 0.1 * torch.randn_like(image)).clamp(0, 1)
print(
    f"psnr {PeakSignalNoiseRatio(data_range=1.0)(noisy, image).item():.4f}",
    f"ssim {StructuralSimilarityIndexMeasure(data_range=1.0)(noisy, image).item():.4f}",
)
print(f"words wrong {torchmetrics.text.WordErrorRate()(['the cat sat'], ['the cat sits']).item():.4f}")
