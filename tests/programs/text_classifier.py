"""Two classifiers of texts, a bag of embeddings and a convolutional one over letters, vote together."""

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY, CLASSES, STEPS, BATCH = 50, 3, 60, 16


class TextClassificationModel(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_class):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, mode="mean")
        self.fc = nn.Linear(embed_dim, num_class)
        self.init_weights()

    def init_weights(self):
        initrange = 0.5
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.fc.weight.data.uniform_(-initrange, initrange)
        self.fc.bias.data.zero_()

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))


class CNNText(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_class, kernel_num=8, kernel_sizes=(2, 3, 4)):
        super().__init__()
        self.embed = nn.Embedding(vocab_size + 1, embed_dim, padding_idx=vocab_size, max_norm=2.0)
        self.convs1 = nn.ModuleList([nn.Conv1d(embed_dim, kernel_num, K, padding=K // 2) for K in kernel_sizes])
        self.dropout = nn.Dropout(0.2)
        self.fc1 = nn.Linear(len(kernel_sizes) * kernel_num, num_class)

    def forward(self, x):
        x = self.embed(x).transpose(1, 2)
        x = [F.relu(conv(x)) for conv in self.convs1]
        x = [F.max_pool1d(i, i.size(2)).squeeze(2) for i in x]
        x = torch.cat(x, 1)
        return self.fc1(self.dropout(x))


def make_example():
    """A text of some length; each class likes a part of the vocabulary."""
    label = torch.randint(CLASSES, ()).item()
    length = torch.randint(5, 12, (1,)).item()
    weights = torch.ones(VOCABULARY)
    weights[label * 10 : label * 10 + 10] = 5.0
    return label, torch.multinomial(weights, length, replacement=True)


def collate_batch(batch):
    label_list, text_list, offsets = [], [], [0]
    for label, text in batch:
        label_list.append(label)
        text_list.append(text)
        offsets.append(text.size(0))
    offsets = torch.tensor(offsets[:-1]).cumsum(dim=0)
    padded = nn.utils.rnn.pad_sequence(text_list, batch_first=True, padding_value=VOCABULARY)
    return torch.tensor(label_list, dtype=torch.int64), torch.cat(text_list), offsets, padded


torch.manual_seed(0)
bag = TextClassificationModel(VOCABULARY, 16, CLASSES)
cnn = CNNText(VOCABULARY, 16, CLASSES)
print(bag)
print(cnn)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 1.0]))
optimizer = torch.optim.SGD(bag.parameters(), lr=2.0)
optimizer2 = torch.optim.Adagrad(cnn.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[30, 50], gamma=0.1)
for step in range(STEPS):
    label, text, offsets, padded = collate_batch([make_example() for _ in range(BATCH)])
    optimizer.zero_grad()
    optimizer2.zero_grad()
    loss = criterion(bag(text, offsets), label)
    loss2 = criterion(cnn(padded), label)
    loss.backward()
    loss2.backward()
    torch.nn.utils.clip_grad_norm_(bag.parameters(), 0.1)
    optimizer.step()
    optimizer2.step()
    scheduler.step()
    print(f"step {step} loss {loss2.item():.6f} bag {loss.item():.6f}")

bag.eval()
cnn.eval()
with torch.no_grad():
    label, text, offsets, padded = collate_batch([make_example() for _ in range(100)])
    votes = F.softmax(bag(text, offsets), 1) + F.softmax(cnn(padded), 1)
    correct = (votes.argmax(1) == label).sum().item()
confusion = torch.zeros(CLASSES, CLASSES, dtype=torch.int64)
confusion.index_put_((label, votes.argmax(1)), torch.ones(100, dtype=torch.int64), accumulate=True)
print("confusion", confusion, f"right {correct / 100:.2f}")
print(
    f"norm {cnn.embed.weight.detach().norm(dim=1).max().item():.4f} padding", cnn.embed.weight[VOCABULARY].norm().item()
)
