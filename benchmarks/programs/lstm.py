"""A character model with an LSTM: an embedding, one layer of 128 cells over 50 steps, and a linear head."""

from benchmarks.data import Source
from benchmarks.programs.training import Training

STEPS, BATCH, WIDTH, VOCABULARY = 50, 32, 128, 65


class Step(Training):
    """A training step on 32 texts of 50 characters with cross entropy and Adam."""

    def __init__(self):
        source = Source()
        bound = WIDTH**-0.5
        self.weights = {
            "tokens.weight": source.normal(VOCABULARY, WIDTH),
            **source.layer("head", VOCABULARY, WIDTH),
            "lstm.weight_ih_l0": source.uniform(-bound, bound, 4 * WIDTH, WIDTH),
            "lstm.weight_hh_l0": source.uniform(-bound, bound, 4 * WIDTH, WIDTH),
            "lstm.bias_ih_l0": source.uniform(-bound, bound, 4 * WIDTH),
            "lstm.bias_hh_l0": source.uniform(-bound, bound, 4 * WIDTH),
        }
        texts = [source.integers(VOCABULARY, STEPS + 1, BATCH) for _ in range(16)]
        self.batches = [(text[:-1].copy(), text[1:].copy()) for text in texts]

    def make_model(self, torch):
        nn = torch.nn

        class CharacterModel(nn.Module):
            def __init__(self):
                super().__init__()
                self.tokens = nn.Embedding(VOCABULARY, WIDTH)
                self.lstm = nn.LSTM(WIDTH, WIDTH)
                self.head = nn.Linear(WIDTH, VOCABULARY)

            def forward(self, tokens):
                outputs, _ = self.lstm(self.tokens(tokens))
                return self.head(outputs)

        return CharacterModel()

    def compute_loss(self, torch, model, tokens, following):
        logits = model(tokens)
        return torch.nn.functional.cross_entropy(logits.view(-1, VOCABULARY), following.view(-1))
