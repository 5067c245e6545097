"""transformers: the Trainer, with evaluation, a schedule, checkpoints and a restart from one."""

import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Counting(Dataset):
    """Sequences that count upwards, modulo the vocabulary."""

    def __len__(self):
        return 64

    def __getitem__(self, index):
        ids = (torch.arange(12) + index) % 32
        return {"input_ids": ids, "labels": ids}


torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(vocab_size=32, n_positions=16, n_embd=32, n_layer=1, n_head=2))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        num_train_epochs=6,
        per_device_train_batch_size=8,
        learning_rate=1e-2,
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_steps=8,
        lr_scheduler_type="cosine",
        warmup_steps=4,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(model, arguments, train_dataset=Counting(), eval_dataset=Counting())
    trainer.train()
    result = trainer.evaluate()
    trainer.train(resume_from_checkpoint=True)
print(f"eval_loss {result['eval_loss']:.4f}")
assert result["eval_loss"] < 0.5
