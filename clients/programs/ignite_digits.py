"""ignite: engines, events and metrics around a loop."""

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping, LRScheduler
from ignite.metrics import Accuracy, ConfusionMatrix, Loss, RunningAverage
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
digits = load_digits()
data = TensorDataset(torch.tensor(digits.data, dtype=torch.float32) / 16, torch.tensor(digits.target))
loader = DataLoader(data, 64, shuffle=True)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
trainer = create_supervised_trainer(model, optimizer, nn.CrossEntropyLoss())
evaluator = create_supervised_evaluator(
    model, {"accuracy": Accuracy(), "nll": Loss(nn.CrossEntropyLoss()), "confusion": ConfusionMatrix(10)}
)
RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")
trainer.add_event_handler(Events.ITERATION_STARTED, LRScheduler(torch.optim.lr_scheduler.StepLR(optimizer, 50, 0.9)))
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(5, lambda engine: -engine.state.metrics["nll"], trainer))


@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    evaluator.run(loader)
    print(engine.state.epoch, f"{engine.state.metrics['loss']:.4f} {evaluator.state.metrics['accuracy']:.4f}")


trainer.run(loader, max_epochs=8)
assert evaluator.state.metrics["accuracy"] > 0.9
