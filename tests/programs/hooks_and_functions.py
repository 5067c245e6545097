"""A network with an autograd function of its own, hooks that look inside, clipped gradients and schedulers."""

import torch
import torch.nn as nn
from torch.autograd import Function
from torch.optim import lr_scheduler

STEPS = 60


class Binarize(Function):
    """The sign, with the gradient of a clipped identity"""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.sign()

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input.abs() > 1] = 0
        return grad_input


class ScaledExp(Function):
    @staticmethod
    def forward(ctx, i, scale):
        result = (scale * i).exp()
        ctx.save_for_backward(result)
        ctx.scale = scale
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return ctx.scale * grad_output * result if ctx.needs_input_grad[0] else None, None


class BinaryLinear(nn.Linear):
    def forward(self, input):
        return nn.functional.linear(input, Binarize.apply(self.weight), self.bias)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.Hardtanh())
        self.binary = BinaryLinear(32, 16)
        self.gate = nn.Linear(32, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        x = self.features(x)
        return self.head(torch.tanh(self.binary(x) / 8) * ScaledExp.apply(-self.gate(x).abs(), 0.5))


torch.manual_seed(1)
net = Net()
for name, module in net.named_modules():
    print(f"{name or 'net'}: {type(module).__name__}")

activations, gradients, handles = {}, {}, []


def get_activation(name):
    def hook(model, input, output):
        activations[name] = output.detach()

    return hook


for name, module in net.named_modules():
    if len(list(module.children())) == 0:
        handles.append(module.register_forward_hook(get_activation(name)))
handles.append(net.head.register_full_backward_hook(lambda m, gin, gout: gradients.update(head=gout[0].norm())))
net.gate.weight.register_hook(lambda grad: grad * 2)
net.binary.weight.register_post_accumulate_grad_hook(lambda p: gradients.update(binary=p.grad.norm()))

groups = [
    {"params": [p for n, p in net.named_parameters() if n.endswith("weight")], "weight_decay": 1e-3},
    {"params": [p for n, p in net.named_parameters() if n.endswith("bias")], "lr": 5e-2},
]
optimizer = torch.optim.SGD(groups, lr=1e-1, momentum=0.9)
warmup = lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=10)
decay = lr_scheduler.ExponentialLR(optimizer, gamma=0.97)
scheduler = lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[10])
x = torch.randn(64, 6)
y = ((x[:, 0] * x[:, 1] > 0) ^ (x[:, 2] > 0.5)).long()
for step in range(STEPS):
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(net(x), y)
    loss.backward()
    total = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5, norm_type=2)
    optimizer.step()
    scheduler.step()
    rates = " ".join(f"rate {rate:.6f}" for rate in scheduler.get_last_lr())
    print(f"step {step} loss {loss.item():.6f} norm {total:.5f} head {gradients['head']:.5f} {rates}")

for name, value in activations.items():
    print(f"{name} {tuple(value.shape)} mean {value.mean():.4f} std {value.std():.4f}")
for handle in handles:
    handle.remove()
activations.clear()
net.eval()
with torch.no_grad():
    print(f"right {(net(x).argmax(1) == y).float().mean():.3f}", len(activations), sorted(gradients))

inputs = torch.randn(4, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda i: ScaledExp.apply(i, 0.3), inputs), ScaledExp.apply(inputs, 2.0).grad_fn.name())
