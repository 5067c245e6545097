"""d3rlpy: five ways to learn from steps that others took, on steps of a simple game."""

import d3rlpy
import numpy as np

random, count = np.random.default_rng(0), 600
seen = random.normal(size=(count, 3)).astype("float32")
acts = np.tanh(random.normal(size=(count, 1))).astype("float32")
gains = -np.abs(acts[:, 0] - np.tanh(seen[:, 0])).astype("float32")
steps = d3rlpy.dataset.MDPDataset(seen, acts, gains, (np.arange(count) % 20 == 19).astype("float32"))
d3rlpy.seed(0)
for kind in ("CQL", "SAC", "TD3PlusBC", "IQL", "BC"):
    agent = getattr(d3rlpy.algos, f"{kind}Config")(batch_size=32).create(device=False)
    found = agent.fit(
        steps,
        n_steps=20,
        n_steps_per_epoch=20,
        show_progress=False,
        logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
    )
    numbers = [value for name, value in found[0][1].items() if name.endswith("loss")]
    assert numbers and np.isfinite(numbers).all(), (kind, found)
    assert agent.predict(seen[:4]).shape == (4, 1)
    print("learned by", kind, len(numbers))
