"""transformers: GPT-2, BERT, T5 and Llama from small random configurations: trained, asked, saved and read back."""

import tempfile

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)


def train(model, steps, **batch):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(type(model).__name__, *(f"{each:.4f}" for each in losses[:5]), f"... {losses[-1]:.4f}")
    assert losses[-1] < 0.6 * losses[0]


def survives(model, **batch):
    """The model gives the same numbers after a trip through its files."""
    model.eval()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        model.save_pretrained(folder)
        again = type(model).from_pretrained(folder).eval()
        assert torch.equal(model(**batch).logits, again(**batch).logits)


torch.manual_seed(0)
ids = torch.randint(0, 60, (4, 16))
mask = torch.ones_like(ids)

gpt = GPT2LMHeadModel(
    GPT2Config(vocab_size=64, n_positions=64, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=63)
)
train(gpt, 30, input_ids=ids, attention_mask=mask, labels=ids)
survives(gpt, input_ids=ids)
for options in (
    {"do_sample": False},
    {"num_beams": 3},
    {"do_sample": True, "top_k": 5, "temperature": 0.7, "top_p": 0.9},
):
    torch.manual_seed(1)
    text = gpt.generate(ids[:2, :4], attention_mask=mask[:2, :4], max_new_tokens=8, pad_token_id=63, **options)
    print("generated", options, text[0].tolist())

llama = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
    )
)
train(llama, 30, input_ids=ids, attention_mask=mask, labels=ids)
survives(llama, input_ids=ids)
print(
    llama.generate(ids[:1, :4], attention_mask=mask[:1, :4], max_new_tokens=8, do_sample=False, pad_token_id=0)[
        0
    ].tolist()
)

bert = BertForSequenceClassification(
    BertConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, num_labels=3
    )
)
labels = torch.tensor([0, 1, 2, 0])
train(bert, 40, input_ids=ids, attention_mask=mask, labels=labels)
survives(bert, input_ids=ids, attention_mask=mask)

t5 = T5ForConditionalGeneration(
    T5Config(vocab_size=64, d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2, decoder_start_token_id=0)
)
train(t5, 40, input_ids=ids, attention_mask=mask, labels=ids[:, :8].contiguous())
survives(t5, input_ids=ids, decoder_input_ids=ids[:, :4])
