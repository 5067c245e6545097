"""lightning: a module, its Trainer, metrics, a checkpoint, early stopping."""

import tempfile

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


class Regressor(L.LightningModule):
    def __init__(self, width=32, lr=3e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", F.mse_loss(self.net(x), y), prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40)}


L.seed_everything(0, verbose=False)
x = torch.randn(512, 2)
data = TensorDataset(x, x[:, :1] * x[:, 1:])
train, val = random_split(data, [0.75, 0.25])
with tempfile.TemporaryDirectory() as folder:
    checkpoint = ModelCheckpoint(dirpath=folder, monitor="val_loss")
    trainer = L.Trainer(
        max_epochs=40,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=True,
        callbacks=[checkpoint, EarlyStopping("val_loss", patience=10)],
        gradient_clip_val=1.0,
    )
    model = Regressor()
    trainer.fit(model, DataLoader(train, 32, shuffle=True), DataLoader(val, 64))
    best = Regressor.load_from_checkpoint(checkpoint.best_model_path)
    loss = trainer.validate(best, DataLoader(val, 64), verbose=False)[0]["val_loss"]
print(f"loss {loss:.4f}")
assert loss < 0.1, loss
