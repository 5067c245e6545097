"""A DCGAN, its weights set by `apply`, learns to draw crosses."""

import torch
import torch.nn as nn
import torch.optim as optim

nz, ngf, ndf, nc, image_size = 8, 8, 8, 1, 16
batch_size, num_epochs, batches = 16, 3, 15
lr, beta1 = 0.001, 0.5


def weights_init(m):
    """custom weights initialization called on netG and netD"""
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self, ngpu):
        super().__init__()
        self.ngpu = ngpu
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self, ngpu):
        super().__init__()
        self.ngpu = ngpu
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input)


def real_images(count):
    images = torch.full((count, nc, image_size, image_size), -1.0)
    row, column = torch.randint(4, 12, (2, count))
    index = torch.arange(count)
    images[index, 0, row, :] = 0.9
    images[index, 0, :, column] = 0.9
    return images


manualSeed = 999
torch.manual_seed(manualSeed)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
netG = Generator(0).to(device)
netG.apply(weights_init)
print(netG)
netD = Discriminator(0).to(device)
netD.apply(weights_init)
print(netD)

criterion = nn.BCELoss()
fixed_noise = torch.randn(16, nz, 1, 1, device=device)
real_label, fake_label = 1.0, 0.0
optimizerD = optim.Adam(netD.parameters(), lr=lr, betas=(beta1, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=lr, betas=(beta1, 0.999))

img_list, G_losses, D_losses = [], [], []
for epoch in range(num_epochs):
    for i in range(batches):
        # Update D network: maximize log(D(x)) + log(1 - D(G(z)))
        netD.zero_grad()
        real_cpu = real_images(batch_size).to(device)
        b_size = real_cpu.size(0)
        label = torch.full((b_size,), real_label, dtype=torch.float, device=device)
        output = netD(real_cpu).view(-1)
        errD_real = criterion(output, label)
        errD_real.backward()
        D_x = output.mean().item()
        noise = torch.randn(b_size, nz, 1, 1, device=device)
        fake = netG(noise)
        label.fill_(fake_label)
        output = netD(fake.detach()).view(-1)
        errD_fake = criterion(output, label)
        errD_fake.backward()
        D_G_z1 = output.mean().item()
        errD = errD_real + errD_fake
        optimizerD.step()

        # Update G network: maximize log(D(G(z)))
        netG.zero_grad()
        label.fill_(real_label)
        output = netD(fake).view(-1)
        errG = criterion(output, label)
        errG.backward()
        D_G_z2 = output.mean().item()
        optimizerG.step()
        print(
            f"[{epoch}/{num_epochs}][{i}/{batches}] loss_D {errD.item():.5f} loss_G {errG.item():.5f}"
            f" D(x): {D_x:.5f} D(G(z)): {D_G_z1:.5f} / {D_G_z2:.5f}"
        )
        G_losses.append(errG.item())
        D_losses.append(errD.item())
    with torch.no_grad():
        fake = netG(fixed_noise).detach().cpu()
    img_list.append(fake)
    grid = fake.permute(0, 2, 3, 1).reshape(4, 4, image_size, image_size).transpose(1, 2).reshape(64, 64)
    print("grid", grid.shape, grid.is_contiguous())

print(f"change {(img_list[-1] - img_list[0]).pow(2).mean().item():.4f} darkness {img_list[-1].mean().item():.4f}")
