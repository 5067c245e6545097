"""What the test of event files logs, under whichever torch is imported: python logged.py folder."""

import sys

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter


def log(folder):
    torch.manual_seed(0)
    with SummaryWriter(folder, purge_step=3) as log:
        log.add_scalar("loss", 1.25, 1, walltime=5.0)
        log.add_scalar("loss", torch.tensor([0.1]), 2, walltime=5.0)
        log.add_scalar("new", torch.tensor(0.1, dtype=torch.float64), 2, walltime=5.0, new_style=True)
        log.add_scalar("double", 0.1, 2, 5.0, True, True)
        log.add_scalars("both", {"sin": 0.5, "cos": np.float32(0.25)}, 7, walltime=6.0)
        for dtype in (torch.float32, torch.float64, torch.int64, torch.bool):
            log.add_tensor(f"tensor {dtype}", torch.arange(6).reshape(2, 3).to(dtype), 1, walltime=5.0)
        values = torch.tensor(np.random.default_rng(0).normal(size=1000))
        for bins in ("tensorflow", "auto", "fd", 7):
            log.add_histogram(f"histogram {bins}", values, 1, bins=bins, walltime=5.0)
        log.add_histogram("few", values * 1e-3, 1, bins=100, walltime=5.0, max_bins=9)
        log.add_histogram("integers", torch.arange(10), 1, walltime=5.0)
        log.add_histogram_raw("raw", 0, 1, 4, 2.0, 1.5, [0.5, 1.0], [1, 3], 1, walltime=5.0)
        picture = torch.rand(3, 6, 5)
        log.add_image("chw", picture, 1, walltime=5.0)
        log.add_image("hwc", (picture.permute(1, 2, 0) * 255).to(torch.uint8), 1, 5.0, "HWC")
        log.add_image("hw", picture[0], 1, 5.0, "HW")
        log.add_image("grey", picture[:1], 1, 5.0)
        log.add_images("nchw", torch.rand(11, 3, 4, 4), 1, 5.0)
        log.add_images("nhwc", torch.rand(3, 4, 4, 1), 1, 5.0, "NHWC")
        log.add_text("words", "some *text*", 1, walltime=5.0)
        log.add_audio("sound", torch.tensor(np.sin(np.arange(300) / 9))[None], 1, 8000, walltime=5.0)
        labels, scores = torch.randint(0, 2, (100,)), torch.rand(100)
        log.add_pr_curve("curve", labels, scores, 1, walltime=5.0)
        log.add_pr_curve("weighted", labels, scores, 1, 20, torch.rand(100).numpy(), walltime=5.0)
        columns = [np.arange(5.0) / each for each in range(1, 7)]
        log.add_pr_curve_raw("raw curve", *columns, 1, 5, walltime=5.0)
        log.add_custom_scalars_multilinechart(["loss", "new"], "here", "title")
        log.add_custom_scalars({"a": {"b": ["Multiline", ["x", "y"]], "c": ["Margin", ["x", "y", "z"]]}})
        vertices = torch.rand(1, 4, 3)
        faces = torch.tensor([[[0, 1, 2], [1, 2, 3]]])
        log.add_mesh("mesh", vertices, (vertices * 255).int(), faces, {"cls": "Camera"}, 1, walltime=5.0)
        log.add_mesh("points", vertices, global_step=1, walltime=5.0)
        chosen = {"lr": 0.1, "layers": 3, "name": "mlp", "on": True, "width": torch.tensor([4])}
        log.add_hparams(chosen, {"loss": 0.5, "best": torch.tensor([1.0])}, {"lr": [0.1, 0.2]}, "run", 3)
        log.add_embedding(torch.arange(6.0).reshape(3, 2), ["a", "b", "c"], torch.rand(3, 3, 4, 4), 2, "here")
        log.add_embedding(torch.eye(2), [["x", "1"], ["y", "2"]], metadata_header=["letter", "digit"])


if __name__ == "__main__":
    log(sys.argv[1])
