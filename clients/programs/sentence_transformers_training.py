"""sentence-transformers: a small BERT of random weights learns to tell pairs of sentences apart."""

import tempfile

import torch
from sentence_transformers import InputExample, SentenceTransformer, losses, models, util
from torch.utils.data import DataLoader
from transformers import BertConfig, BertModel, BertTokenizerFast

torch.manual_seed(0)
words = "[PAD] [UNK] [CLS] [SEP] [MASK] the a red blue cat dog ship boat sails runs sleeps swims fast slowly".split()
with tempfile.TemporaryDirectory() as folder:
    BertTokenizerFast(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder)
    BertModel(
        BertConfig(
            vocab_size=len(words),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    ).save_pretrained(folder)
    word = models.Transformer(folder, max_seq_length=16)
    model = SentenceTransformer(modules=[word, models.Pooling(word.get_word_embedding_dimension())], device="cpu")

alike = [
    ("the cat sleeps", "a cat sleeps slowly"),
    ("the ship sails", "a boat sails fast"),
    ("the dog runs", "a dog runs fast"),
]
apart = [("the cat sleeps", "a blue ship"), ("the dog swims", "red boat sails"), ("the boat", "a dog sleeps")]
examples = [InputExample(texts=list(pair), label=1.0) for pair in alike]
examples += [InputExample(texts=list(pair), label=0.0) for pair in apart]
loss = losses.CosineSimilarityLoss(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
loader = DataLoader(examples, batch_size=6, collate_fn=model.smart_batching_collate)
history = []
for _ in range(60):
    for features, labels in loader:
        value = loss(features, labels)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        history.append(value.item())
print("losses", *(f"{each:.4f}" for each in history[::20]))
assert history[-1] < 0.5 * history[0]
vectors = model.encode(["the cat sleeps", "a cat sleeps slowly", "a blue ship"], convert_to_tensor=True)
scores = util.cos_sim(vectors[:1], vectors[1:])[0]
print("scores", [round(each, 3) for each in scores.tolist()])
assert scores[0] > scores[1]
