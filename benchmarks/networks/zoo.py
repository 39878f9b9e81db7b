"""The networks: code of timm and transformers, or our own, with random weights, and what each takes.

Nothing is downloaded: weights are drawn by their fan-in, so that values keep their size from layer to
layer; statistics of norms are random, so that folding them is no work that a compiler could skip.
"""

import math
import sys

import torch

from fields import FIELDS


def timm_network(name, size=0):
    """`size`: of the image, 0 for what the network is made for."""
    def build(batch):
        import timm
        model = timm.create_model(name, pretrained=False)
        pixels = [size, size] if size else model.pretrained_cfg["input_size"][-2:]
        return model, (torch.randn(batch, 3, *pixels),)
    return build


def transformers_network(kind, length=128):
    """The text model of the kind's default sizes, over `length` tokens: to the last hidden states."""
    def build(batch):
        from transformers import AutoConfig, AutoModel
        config = AutoConfig.for_model(kind)

        class Text(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = AutoModel.from_config(config)

            def forward(self, ids, mask):
                return self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        return Text(), (tokens(batch, length, config.vocab_size), torch.ones(batch, length, dtype=torch.long))
    return build


class Decoder(torch.nn.Module):
    """Token ids, a mask of all tokens so far, and a key and a value of each layer for the tokens
    before, if any, to the last hidden states.

    With no mask the model would look for sequences packed into one, by a sum of prefixes that
    torch-mlir does not lower to linalg; tokenizers give one."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask, *past):
        from transformers import DynamicCache
        cache = DynamicCache(list(zip(past[::2], past[1::2]))) if past else None
        return self.model(input_ids=ids, attention_mask=mask, cache=cache,
                          use_cache=bool(past)).last_hidden_state


def tokens(batch, length, vocabulary):
    return torch.randint(0, vocabulary, (batch, length))


def bert(length):
    def build(batch):
        from transformers import BertConfig, BertModel
        config = BertConfig()

        class Bert(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = BertModel(config, add_pooling_layer=False)

            def forward(self, ids, mask):
                return self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        return Bert(), (tokens(batch, length, config.vocab_size), torch.ones(batch, length, dtype=torch.long))
    return build


def decoded(batch, length, past, config, heads):
    """Inputs of a Decoder for `length` tokens after `past` others."""
    width = config.hidden_size // config.num_attention_heads
    layers = config.num_hidden_layers if past else 0
    return (tokens(batch, length, config.vocab_size),
            torch.ones(batch, past + length, dtype=torch.long),
            *(torch.randn(batch, heads, past, width) for _ in range(2 * layers)))


def gpt2(length, past=0):
    def build(batch):
        from transformers import GPT2Config, GPT2Model
        config = GPT2Config()
        inputs = decoded(batch, length, past, config, config.num_attention_heads)
        return Decoder(GPT2Model(config)), inputs
    return build


def llama(length, past=0):
    def build(batch):
        from transformers import LlamaConfig, LlamaModel
        config = LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=8,
                             num_attention_heads=16, num_key_value_heads=4, vocab_size=32000)
        inputs = decoded(batch, length, past, config, config.num_key_value_heads)
        return Decoder(LlamaModel(config)), inputs
    return build


def t5_encoder(length):
    def build(batch):
        from transformers import T5Config, T5EncoderModel

        class T5(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = T5EncoderModel(T5Config())

            def forward(self, ids):
                return self.model(input_ids=ids).last_hidden_state
        return T5(), (tokens(batch, length, 32000),)
    return build


def whisper_encoder(batch):
    from transformers import WhisperConfig, WhisperModel

    class Whisper(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = WhisperModel(WhisperConfig(d_model=384, encoder_layers=4, encoder_attention_heads=6,
                                                    encoder_ffn_dim=1536)).encoder

        def forward(self, features):
            return self.model(features).last_hidden_state
    return Whisper(), (torch.randn(batch, 80, 3000),)


def convolution(inputs, outputs, size, stride=1):
    return torch.nn.Sequential(torch.nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
                               torch.nn.BatchNorm2d(outputs), torch.nn.SiLU())


def yolo_head(batch):
    """Three scales; a branch of boxes and one of classes each, as detectors of that kind end."""
    class Head(torch.nn.Module):
        def __init__(self, channels=(64, 128, 256), boxes=64, classes=80):
            super().__init__()
            branch = lambda c, out: torch.nn.Sequential(convolution(c, 80, 3), convolution(80, 80, 3),
                                                        torch.nn.Conv2d(80, out, 1))
            self.boxes = torch.nn.ModuleList(branch(c, boxes) for c in channels)
            self.classes = torch.nn.ModuleList(branch(c, classes) for c in channels)

        def forward(self, *scales):
            joined = [torch.cat([box(x), kind(x).sigmoid()], 1).flatten(2)
                      for x, box, kind in zip(scales, self.boxes, self.classes)]
            return torch.cat(joined, 2)
    return Head(), tuple(torch.randn(batch, c, s, s) for c, s in ((64, 80), (128, 40), (256, 20)))


def unet_block(batch):
    """A residual block with group norms, attention over its pixels, and a step up."""
    class Block(torch.nn.Module):
        def __init__(self, channels=128):
            super().__init__()
            self.norms = torch.nn.ModuleList(torch.nn.GroupNorm(32, channels) for _ in range(3))
            self.first = torch.nn.Conv2d(channels, channels, 3, padding=1)
            self.second = torch.nn.Conv2d(channels, channels, 3, padding=1)
            self.qkv = torch.nn.Conv2d(channels, 3 * channels, 1)
            self.out = torch.nn.Conv2d(channels, channels, 1)
            self.up = torch.nn.Conv2d(channels, channels // 2, 3, padding=1)

        def forward(self, x):
            silu = torch.nn.functional.silu
            x = x + self.second(silu(self.norms[1](self.first(silu(self.norms[0](x))))))
            q, k, v = self.qkv(self.norms[2](x)).flatten(2).transpose(1, 2).chunk(3, -1)
            heads = lambda t: t.reshape(t.shape[0], t.shape[1], 4, -1).transpose(1, 2)
            attended = torch.nn.functional.scaled_dot_product_attention(heads(q), heads(k), heads(v))
            x = x + self.out(attended.transpose(2, 3).reshape(x.shape))
            return self.up(torch.nn.functional.interpolate(x, scale_factor=2, mode="nearest"))
    return Block(), (torch.randn(batch, 128, 32, 32),)


def lstm(length):
    """Two layers; the last one's hidden states."""
    def build(batch):
        class Lstm(torch.nn.Module):
            def __init__(self, inputs=256, hidden=512):
                super().__init__()
                self.model = torch.nn.LSTM(inputs, hidden, num_layers=2, batch_first=True)

            def forward(self, x):
                return self.model(x)[0]
        return Lstm(), (torch.randn(batch, length, 256),)
    return build


# Name: builds (module, inputs) for a batch.
NETWORKS = {
    "resnet50": timm_network("resnet50", 224),
    "mobilenetv2": timm_network("mobilenetv2_100", 224),
    "efficientnet_lite0": timm_network("efficientnet_lite0", 224),
    "deit_small": timm_network("deit_small_patch16_224", 224),
    "convnext_femto": timm_network("convnext_femto", 224),
    "regnety_002": timm_network("regnety_002", 224),
    "yolo_head": yolo_head,
    "bert_128": bert(128),
    "bert_384": bert(384),
    "gpt2_prefill128": gpt2(128),
    "llama_prefill128": llama(128),
    "gpt2_decode128": gpt2(1, past=128),
    "llama_decode1024": llama(1, past=1024),
    "t5_encoder": t5_encoder(128),
    "whisper_encoder": whisper_encoder,
    "unet_block": unet_block,
    "lstm": lstm(32),
}


def draw_weights(model):
    """Random weights that keep the size of values, and statistics that are not the neutral ones."""
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        last = name.rpartition(".")[2]
        if not tensor.is_floating_point():
            continue
        if tensor.dim() >= 2:
            torch.nn.init.normal_(tensor, std=1 / math.sqrt(tensor[0].numel()))
        elif last in ("running_var", "weight", "gamma"):
            torch.nn.init.uniform_(tensor, 0.5, 1.5)
        elif last in ("running_mean", "bias", "beta"):
            torch.nn.init.normal_(tensor, std=0.1)


def as_bf16(model, inputs):
    """Both with what is a float as bf16."""
    return model.to(torch.bfloat16), [of.to(torch.bfloat16) if of.is_floating_point() else of for of in inputs]


def make(name, batch):
    """(module in eval mode, inputs), the same each time. "timm.NAME" is any network of timm,
    "transformers.KIND" any kind of text model, "fields.NAME" one of fields.py."""
    torch.manual_seed(1)
    library, _, network = name.partition(".")
    libraries = {"timm": timm_network, "transformers": transformers_network, "fields": FIELDS.get}
    build = NETWORKS[name] if name in NETWORKS else libraries[library](network)
    if build is None:
        sys.exit("no network fields.%s; there are %s" % (network, ", ".join(sorted(FIELDS))))
    model, inputs = build(batch)
    model.eval()
    with torch.no_grad():
        draw_weights(model)
    return model, inputs
