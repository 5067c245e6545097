"""The table of clients, docs/clients.md."""

from __future__ import annotations

import subprocess
from statistics import median

HEAD = """# Other people's packages

Programs built on packages that are written for PyTorch, unmodified, in an environment where Rushlight stands in for
torch (`python -m rushlight stand-in install`). Each trains something for seconds and asserts that it learned. Seconds
are those of the processor for the whole program, imports included, one thread each; `lines` says how many of the
printed lines are the same under both, letter for letter. `make clients` writes this page;
`make clients CLIENTS="sb3_td3"` measures one row anew.
"""
ALSO = """
## Where lines differ

Those that learn were followed step by step beside torch, to the first number that is not the same.

- `sb3_dqn`, `sb3_sac`, `sb3_td3`, `skorch_digits`: the last bit of a sum in `linear`, which another BLAS adds up in
  another order. Parameters and gradients then agree to 1e-7 for the first hundred steps and more;
  what an agent chose by them differs later. TD3 after 8,000 steps: five seeds here reach -138 to -184, three under
  torch -139 to -378.
- `example_digits`: the same, until in step 27 one of 4,096 inputs of a ReLU is -1e-8 here and 1e-7 there.
- `kornia_filters`: the last digit of a mean, by the last bit of `pow`.
- `d3rlpy_offline`, `deepxde_equations`, `torchrl_ppo`, `transformers_trainer`: lines of logs with times and speeds in
  them; all results are the same.
- `auraloss_sounds`: the last bits of `sin` and `randn` in what is heard; logarithms of nearly silent frequencies make
  more of them (gradients of float32 are up to 2e-3 off those of float64 here, up to 6e-4 under torch).
- `torchensemble_forests`: the fifth digit of two losses; not followed.
- `torchvision_models`: a picture of bytes that is resized is rounded once here; PyTorch rounds after each direction.
- `lightly_views`: one line, not followed.
- `captum_attributions`: GradientShap draws from NumPy's stream, which nobody seeds: it differs from run to run.

## Tried besides, each with a short program

Run: adabelief-pytorch, adam-atan2-pytorch, adversarial-robustness-toolbox, asteroid-filterbanks, axial-attention,
bayesian-torch, blitz-bayesian-pytorch, byol-pytorch, calflops, catalyst (metrics), chronos-forecasting (its
tokenizer), clip-anytorch, coral-pytorch, curvlinops, dadaptation, darts, deepctr-torch, deepinv, delu,
denoising-diffusion-pytorch, efficientnet-pytorch, egnn-pytorch, einops-exts, ema-pytorch, entmax, fairscale, fastai
(its tabular learner needs `n_out`, as under torch with the versions of its parts that pip chooses), flow_matching,
foolbox, FrEIA, fvcore (losses and checkpoints), geomloss, geotorch, gluonts (DeepAR), grad-cam, grokfast-pytorch,
heavyball, higher, hyper-connections, hypll, imitation, info-nce, jaxtyping, julius, keras with its torch backend,
linformer, lion-pytorch, local-attention, loralib, lovely-tensors, lpips, lycoris-lora, madgrad, mambapy, mmengine,
mup, ncps, neuraloperator (FNO), neurodiffeq, nflows, nnAudio, normflows, norse, opacus, perceiver-pytorch,
performer-pytorch, pina-mathlab, piq, piqa, pomegranate, POT, poutyne, prodigyopt, ptflops, ptwt, pycox, pyhessian,
pykeen (TransE and DistMult), pypose, pytorch-adapt, pytorch-crf, pytorch-forecasting, pytorch-frame,
pytorch-lightning, pytorch-minimize, pytorch-model-summary, pytorch-msssim, pytorch-ood, pytorch-pfn-extras,
pytorch-revgrad, pytorch-tabnet, pytorch-tcn, pytorch-warmup, pytorch-wavelets, reformer-pytorch, rl_games (its
helpers), rotary-embedding-torch, rtdl_num_embeddings, rtdl_revisiting_models, sbi (the same posterior as torch to all
digits), schedulefree, se3-transformer-pytorch, segmentation-models-pytorch, shap, sinkhorn-transformer, skrl,
soft-moe-pytorch, spikingjelly, tabm, tensorboardX, tensorly and tensorly-torch, thop, tntorch, torch-dct, torch-ema,
torch-kmeans, torch-lr-finder, torch-optimi, torchani, torchattacks, torchbearer, torchbnn, torchcam, torchcde,
torchcfm, torchdata (its stateful loader goes on where it was, with workers too), torchdyn, torcheval, torchfm,
torchgan, torchinfo, torchio, torchjd, torchkge, torchode, torchopt, torchquad, torchsampler, torchsde, torchseg,
torchsummary, torchtnt, torchtuples, torchview, torchviz, trl (its helpers), ttach, vector-quantize-pytorch,
vit-pytorch, vmas, x-clip, x-transformers, xitorch, zennit.

Do not: the FLOP count of fvcore, which reads graphs of TorchScript (`torch.utils.flop_counter` counts them);
openai-whisper, which keeps a sparse tensor; torch-harmonics, whose compiled parts want torch's own libraries; encodec
and braindecode, which import torchaudio, also compiled; torchlens 2, whose trace did not end within five minutes.
"""
VERSIONS = "import importlib.metadata as m; print('\\n'.join(f'{d.name} {d.version}' for d in m.distributions()))"
SHOWN = (
    "stable_baselines3 skorch lightning pytorch-ignite transformers accelerate sentence-transformers timm torchvision "
    "torch-geometric kornia einops torchmetrics captum pyro-ppl gpytorch botorch tianshou safetensors peft numpy "
    "d3rlpy diffusers e3nn monai pytorch-metric-learning pytorch-optimizer torch-optimizer torchdiffeq zuko "
    "auraloss backpack-for-pytorch deepxde geoopt laplace-torch lightly pfrl pykan sb3_contrib snntorch tensordict "
    "torch-pruning torchensemble torchrl open_clip_torch segment-anything nystrom-attention halonet-pytorch conformer "
    "bottleneck-transformer-pytorch"
).split()


def written(rows: list[dict], python: str, before: str = "") -> str:
    """The page: a sentence on the whole, a row a program, the versions; programs that did not run keep their rows."""
    rows = sorted([*kept_rows(before, {each["program"] for each in rows}), *rows], key=lambda each: each["program"])
    runs = [each for each in rows if not each["failure"]]
    ratios = [each["seconds"] / each["torch_seconds"] for each in runs if each["torch_seconds"]]
    whole = f"{len(runs)} of {len(rows)} programs run"
    if ratios:
        whole += f"; where PyTorch could be asked, they take a median of {median(ratios):.2f} of its processor time"
    lines = [HEAD, whole + ".", "", "| program | what it does | outcome | seconds | torch | ratio | lines |"]
    lines.append("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    lines += [table_row(each) for each in rows]
    return "\n".join([*lines, "", *by_the_clock(rows, before), versions(python), ALSO])


def by_the_clock(rows: list[dict], before: str) -> list[str]:
    """A sentence on the wall-clock of a whole run of PPO; the earlier one if it was not run again."""
    for row in rows:
        if row["program"] == "sb3_ppo" and row.get("clocks"):
            ours, theirs = row["clocks"]
            return [f"By the clock, the whole of `sb3_ppo` took {ours:.1f} s here and {theirs:.1f} s with PyTorch.", ""]
    return [part for line in before.splitlines() if line.startswith("By the clock") for part in (line, "")]


def kept_rows(page: str, again: set[str]) -> list[dict]:
    """The rows of an earlier page, but for programs that were run again."""
    found = []
    for line in page.splitlines():
        if not line.startswith("| `"):
            continue
        program, about, outcome, seconds, beside, _, agreement = (each.strip() for each in line.strip("|").split("|"))
        if program.strip("`") not in again:
            row = {"program": program.strip("`"), "about": about, "failure": None if outcome == "runs" else outcome}
            row |= {"seconds": float(seconds), "torch_seconds": float(beside) if beside else None}
            found.append(row | {"agreement": agreement})
    return found


def table_row(row: dict) -> str:
    beside = row["torch_seconds"]
    cells = (
        f"`{row['program']}`",
        row["about"].rstrip("."),
        "runs" if row["failure"] is None else row["failure"].replace("|", "/"),
        f"{row['seconds']:.1f}",
        "" if beside is None else f"{beside:.1f}",
        "" if beside is None or row["failure"] else f"{row['seconds'] / beside:.2f}",
        row["agreement"],
    )
    return f"| {' | '.join(cells)} |"


def versions(python: str) -> str:
    """The packages of the environment that the table speaks of."""
    printed = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True).stdout
    found = {line.split()[0].lower(): line for line in printed.splitlines()}
    named = [found[each.lower()] for each in SHOWN if each.lower() in found]
    return f"Versions: {', '.join(sorted(named, key=str.lower))}."
