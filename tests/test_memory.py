"""Memory: training leaves nothing behind, with the garbage collector off."""

import gc
import tracemalloc

import rushlight as torch


def test_memory_after_a_thousand_training_steps_is_where_it_began():
    torch.manual_seed(0)
    tracemalloc.start()
    gc.collect()
    gc.disable()
    try:
        model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Tanh(), torch.nn.Linear(64, 4))
        optimizer = torch.optim.Adam(model.parameters())
        inputs, targets = torch.randn(16, 8), torch.randint(0, 4, (16,))

        def train(steps):
            for _ in range(steps):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(inputs), targets).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            return tracemalloc.get_traced_memory()[0]

        # by then the lists of recycled tensors and nodes are as long as this program needs
        begin = train(300)
        end = train(1000)
    finally:
        gc.enable()
        tracemalloc.stop()
    assert abs(end - begin) <= 0.01 * begin
