"""A character GPT: four layers of causal attention and an MLP, each after a layer norm and with a way around it."""

from benchmarks.data import Source
from benchmarks.programs.training import Training

LAYERS, HEADS, WIDTH = 4, 4, 128
CONTEXT, BATCH, VOCABULARY = 64, 16, 65


class Step(Training):
    """A training step on 16 texts of 64 characters with cross entropy and AdamW."""

    optimizer = "AdamW", {"lr": 3e-4, "weight_decay": 0.01}

    def __init__(self):
        source = Source()
        self.weights = {
            "tokens.weight": 0.02 * source.normal(VOCABULARY, WIDTH),
            "positions.weight": 0.02 * source.normal(CONTEXT, WIDTH),
            **source.norm("norm", WIDTH),
            **source.layer("head", VOCABULARY, WIDTH),
        }
        for index in range(LAYERS):
            self.weights |= {
                **source.norm(f"blocks.{index}.norm1", WIDTH),
                **source.layer(f"blocks.{index}.qkv", 3 * WIDTH, WIDTH),
                **source.layer(f"blocks.{index}.projection", WIDTH, WIDTH),
                **source.norm(f"blocks.{index}.norm2", WIDTH),
                **source.layer(f"blocks.{index}.up", 4 * WIDTH, WIDTH),
                **source.layer(f"blocks.{index}.down", WIDTH, 4 * WIDTH),
            }
        texts = [source.integers(VOCABULARY, BATCH, CONTEXT + 1) for _ in range(16)]
        self.batches = [(text[:, :-1].copy(), text[:, 1:].copy()) for text in texts]

    def make_model(self, torch):
        nn, F = torch.nn, torch.nn.functional

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm1 = nn.LayerNorm(WIDTH)
                self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
                self.projection = nn.Linear(WIDTH, WIDTH)
                self.norm2 = nn.LayerNorm(WIDTH)
                self.up = nn.Linear(WIDTH, 4 * WIDTH)
                self.down = nn.Linear(4 * WIDTH, WIDTH)

            def attend(self, x):
                batch, length, _ = x.shape
                heads = [part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.qkv(x).split(WIDTH, 2)]
                mixed = F.scaled_dot_product_attention(*heads, is_causal=True)
                return self.projection(mixed.transpose(1, 2).reshape(batch, length, WIDTH))

            def forward(self, x):
                x = x + self.attend(self.norm1(x))
                return x + self.down(F.gelu(self.up(self.norm2(x))))

        class GPT(nn.Module):
            def __init__(self):
                super().__init__()
                self.tokens = nn.Embedding(VOCABULARY, WIDTH)
                self.positions = nn.Embedding(CONTEXT, WIDTH)
                self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
                self.norm = nn.LayerNorm(WIDTH)
                self.head = nn.Linear(WIDTH, VOCABULARY)

            def forward(self, tokens):
                x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
                return self.head(self.norm(self.blocks(x)))

        return GPT()

    def compute_loss(self, torch, model, tokens, following):
        logits = model(tokens)
        return torch.nn.functional.cross_entropy(logits.view(-1, VOCABULARY), following.view(-1))

    def loss_in_jax(self, weights, tokens, following):
        import jax

        from benchmarks.ways import xla

        x = weights["tokens.weight"][tokens] + weights["positions.weight"]
        for index in range(LAYERS):
            name = f"blocks.{index}"
            qkv = xla.linear(weights, f"{name}.qkv", xla.layer_norm(weights, f"{name}.norm1", x))
            q, k, v = qkv.reshape(BATCH, CONTEXT, 3, HEADS, -1).swapaxes(0, 2).swapaxes(1, 2)
            mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(BATCH, CONTEXT, WIDTH)
            x = x + xla.linear(weights, f"{name}.projection", mixed)
            up = xla.linear(weights, f"{name}.up", xla.layer_norm(weights, f"{name}.norm2", x))
            x = x + xla.linear(weights, f"{name}.down", jax.nn.gelu(up, approximate=False))
        return xla.cross_entropy(xla.linear(weights, "head", xla.layer_norm(weights, "norm", x)), following)

    def gather(self, floor):
        """A tanh stands for the GELU; the pass at the end of a layer adds what went around it."""
        rows, heads = BATCH * CONTEXT, (BATCH * HEADS, CONTEXT, WIDTH // HEADS)
        qkv, projection, mlp = (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH, WIDTH)
        x, grad = floor.array((rows, WIDTH), "x"), floor.array((rows, WIDTH), "x_grad")
        for index in range(LAYERS):
            floor.normalise(x)
            floor.forward(f"qkv {index}", qkv, rows, "tanh")
            floor.attention(index, *heads)
            floor.forward(f"projection {index}", projection, rows, "tanh")
            floor.normalise(x)
            floor.forward(f"mlp {index}", mlp, rows, "tanh")
        floor.normalise(x)
        floor.classify("head", (WIDTH, VOCABULARY), rows)
        floor.normalise(grad, x)
        for index in reversed(range(LAYERS)):
            floor.backward(f"mlp {index}", mlp, rows, inputs=True)
            floor.normalise(grad, x)
            floor.backward(f"projection {index}", projection, rows, inputs=True)
            floor.attention_backward(index, *heads)
            floor.backward(f"qkv {index}", qkv, rows, inputs=True)
            floor.normalise(grad, x)
