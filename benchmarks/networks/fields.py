"""Small networks of other fields than the zoo's, written out here: what people have who bring neither
an image classifier nor a language model. Each builds (module, inputs) for a batch."""

import torch
from torch import nn


def convolutions(dimensions, channels, size, *, norm=nn.BatchNorm2d, act=nn.ReLU, **options):
    """A chain of `dimensions`-D convolutions over `channels`, with norms and activations between."""
    conv = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[dimensions]
    pad = options.pop("padding", size // 2)
    layers = []
    for a, b in zip(channels, channels[1:]):
        layers += [conv(a, b, size, padding=pad, bias=False, **options), norm(b), act()]
    return nn.Sequential(*layers)


def upscaler(batch):
    """Super-resolution: 5x5 and 3x3 convolutions, pixels shuffled at the end."""
    return nn.Sequential(nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(),
                         nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3)), (torch.randn(batch, 1, 128, 128),)


def style(batch):
    """Images to images: instance norms, reflected borders, residuals, a transposed convolution up."""
    class Residual(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.body = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(c, c, 3), nn.InstanceNorm2d(c), nn.ReLU(),
                                      nn.ReflectionPad2d(1), nn.Conv2d(c, c, 3), nn.InstanceNorm2d(c))

        def forward(self, x):
            return x + self.body(x)
    return nn.Sequential(
        nn.ReflectionPad2d(3), nn.Conv2d(3, 32, 7), nn.InstanceNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 64, 3, 2, 1), nn.InstanceNorm2d(64), nn.ReLU(), Residual(64), Residual(64),
        nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.InstanceNorm2d(32), nn.ReLU(),
        nn.ReflectionPad2d(3), nn.Conv2d(32, 3, 7), nn.Tanh()), (torch.randn(batch, 3, 128, 128),)


def waves(batch):
    """Sound: dilated 1-D convolutions with gates and skips."""
    class Waves(nn.Module):
        def __init__(self, c=64, layers=8):
            super().__init__()
            self.first = nn.Conv1d(1, c, 1)
            self.gates = nn.ModuleList(nn.Conv1d(c, 2 * c, 3, dilation=2 ** i, padding=2 ** i) for i in range(layers))
            self.mixes = nn.ModuleList(nn.Conv1d(c, c, 1) for _ in range(layers))
            self.last = nn.Conv1d(c, 256, 1)

        def forward(self, x):
            x, skips = self.first(x), 0
            for gate, mix in zip(self.gates, self.mixes):
                a, b = gate(x).chunk(2, 1)
                y = mix(torch.tanh(a) * torch.sigmoid(b))
                x, skips = x + y, skips + y
            return self.last(torch.relu(skips))
    return Waves(), (torch.randn(batch, 1, 4096),)


def video(batch):
    """3-D convolutions over 8 frames."""
    body = nn.Sequential(
        convolutions(3, [3, 32, 32], 3, norm=nn.BatchNorm3d), nn.MaxPool3d((1, 2, 2)),
        convolutions(3, [32, 64, 64], 3, norm=nn.BatchNorm3d), nn.MaxPool3d(2),
        convolutions(3, [64, 128], 3, norm=nn.BatchNorm3d), nn.AdaptiveAvgPool3d(1), nn.Flatten(),
        nn.Linear(128, 400))
    return body, (torch.randn(batch, 3, 8, 56, 56),)


def recommender(batch):
    """Embeddings of 26 words, dot products between all of them, and layers."""
    class Recommender(nn.Module):
        def __init__(self, words=10000, width=32):
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(words, width) for _ in range(26))
            self.bottom = nn.Sequential(nn.Linear(13, 256), nn.ReLU(), nn.Linear(256, width), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(width + 27 * 27, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
                                     nn.Linear(256, 1), nn.Sigmoid())

        def forward(self, numbers, words):
            dense = self.bottom(numbers)
            rows = torch.stack([dense] + [t(words[:, i]) for i, t in enumerate(self.tables)], 1)
            return self.top(torch.cat([dense, (rows @ rows.transpose(1, 2)).flatten(1)], 1))
    batch *= 128
    return Recommender(), (torch.randn(batch, 13), torch.randint(0, 10000, (batch, 26)))


def points(batch):
    """Clouds of points: 1x1 1-D convolutions and a maximum over all points."""
    body = nn.Sequential(
        convolutions(1, [3, 64, 64, 128, 1024], 1, norm=nn.BatchNorm1d, padding=0), nn.AdaptiveMaxPool1d(1),
        nn.Flatten(), nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 40))
    return body, (torch.randn(batch, 3, 2048),)


def field(batch):
    """A radiance field: layers over many samples, with sines of the place."""
    class Field(nn.Module):
        def __init__(self, width=256):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(60 if i == 0 else width, width) for i in range(8))
            self.last = nn.Linear(width, 4)

        def forward(self, x):
            x = torch.cat([f(x * 2 ** i) for i in range(10) for f in (torch.sin, torch.cos)], -1)
            for layer in self.layers:
                x = torch.relu(layer(x))
            return self.last(x)
    return Field(), (torch.rand(batch * 1024, 3),)


def gru(batch):
    class Gru(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = nn.GRU(128, 256, batch_first=True, bidirectional=True)

        def forward(self, x):
            return self.model(x)[0]
    return Gru(), (torch.randn(batch, 24, 128),)


def translator(batch):
    """A layer of a decoder: masked attention, attention to what was encoded, two layers."""
    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.TransformerDecoderLayer(512, 8, 2048, batch_first=True) for _ in range(2))

        def forward(self, x, memory):
            mask = torch.full((x.shape[1], x.shape[1]), float("-inf")).triu(1)
            for layer in self.layers:
                x = layer(x, memory, tgt_mask=mask)
            return x
    return Translator(), (torch.randn(batch, 60, 512), torch.randn(batch, 77, 512))


def masks(batch):
    """Masks of images: a net that goes down and up again, with joints."""
    class Masks(nn.Module):
        def __init__(self, widths=(16, 32, 64, 128)):
            super().__init__()
            self.down = nn.ModuleList(convolutions(2, [a, b, b], 3) for a, b in zip((3,) + widths, widths))
            self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
            self.mix = nn.ModuleList(convolutions(2, [2 * a, a], 3) for a in widths[:-1])
            self.last = nn.Conv2d(widths[0], 2, 1)

        def forward(self, x):
            kept = []
            for i, stage in enumerate(self.down):
                x = stage(x if i == 0 else nn.functional.max_pool2d(x, 2))
                kept.append(x)
            for i in reversed(range(len(self.up))):
                x = self.mix[i](torch.cat([self.up[i](x), kept[i]], 1))
            return self.last(x)
    return Masks(), (torch.randn(batch, 3, 128, 128),)


FIELDS = {of.__name__: of for of in (upscaler, style, waves, video, recommender, points, field, gru, translator,
                                     masks)}
