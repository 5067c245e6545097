"""peft: low-rank adapters on a frozen GPT-2, merged in the end."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
base = GPT2LMHeadModel(
    GPT2Config(vocab_size=32, n_positions=16, n_embd=32, n_layer=1, n_head=2, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
)
model = get_peft_model(
    base,
    LoraConfig(r=4, lora_alpha=16, target_modules=["c_attn", "c_proj"], fan_in_fan_out=True, task_type="CAUSAL_LM"),
)
trainable = [name for name, each in model.named_parameters() if each.requires_grad]
print(model.get_nb_trainable_parameters(), all("lora" in name for name in trainable))
ids = torch.randint(0, 32, (4, 12))
optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=3e-2)
losses = []
for _ in range(40):
    loss = model(input_ids=ids, labels=ids).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print("losses", *(f"{each:.4f}" for each in losses[::10]))
assert losses[-1] < 0.9 * losses[0]
model.eval()
with torch.no_grad():
    before = model(input_ids=ids).logits
    after = model.merge_and_unload()(input_ids=ids).logits
assert torch.allclose(before, after, atol=1e-4)
