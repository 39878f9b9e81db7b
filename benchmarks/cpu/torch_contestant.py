"""PyTorch as a contestant (contestant.h): the workload as a user of torch writes it, through
torch.compile; weights of convolutions and whole networks are frozen, so that it may lay them out ahead.
The call from Python, some 10 us, is in the time, as it is in a user's program."""

import sys
import time

NARROW = "torch has no %s product on CPUs"


def fail(text):
    print("error", " ".join(str(text).split())[:300], flush=True)
    sys.exit(1)


try:
    import torch
    import torch._inductor.config
    import torch.nn.functional as F
except ImportError:
    fail("not installed; --with-torch does that")


def matmul(op):
    layout, post, types = op["layout"], op["post"], op["types"]
    if types == "s8s8":
        return torch._int_mm
    if types != "f32":
        fail(NARROW % {"bf16": "bf16 into f32", "u8s8": "u8 x s8 into i32"}[types])

    def call(a, b, bias=None):
        product = (a.mT if layout[0] == "t" else a) @ (b.mT if layout[1] == "t" else b)
        if post == "none":
            return product
        return F.relu(product + bias) if post == "relu" else F.gelu(product + bias)
    return call


def conv(op):
    stride, pad, groups = int(op["stride"]), int(op["pad"]), int(op["groups"])
    if op["layout"] == "nchw":
        return lambda x, w: F.conv2d(x, w, stride=stride, padding=pad, groups=groups)

    def call(x, w):  # NHWC memory seen as NCHW: torch's channels_last, as is the filter
        w = w.permute(3, 2, 0, 1) if groups == 1 else w.permute(2, 0, 1).unsqueeze(1)
        return F.conv2d(x.permute(0, 3, 1, 2), w, stride=stride, padding=pad,
                        groups=groups).permute(0, 2, 3, 1)
    return call


def bert_layer(op):
    def call(x, mask, wq, bq, wk, bk, wv, bv, wo, bo, g1, b1, g2, b2, wi, bi, wd, bd):
        heads = lambda w, b: F.linear(x, w, b).view(1, -1, 12, 64).transpose(1, 2)
        value = F.scaled_dot_product_attention(heads(wq, bq), heads(wk, bk), heads(wv, bv), mask)
        value = F.linear(value.transpose(1, 2).reshape(x.shape), wo, bo)
        x = F.layer_norm(x + value, x.shape[-1:], g1, b1, 1e-12)
        return F.layer_norm(x + F.linear(F.gelu(F.linear(x, wi, bi)), wd, bd), x.shape[-1:], g2, b2,
                            1e-12)
    return call


def resnet_block(op):
    def call(x, w1, b1, w2, b2, w3, b3):
        value = F.relu(F.conv2d(x, w1, b1))
        value = F.relu(F.conv2d(value, w2, b2, padding=1))
        return F.relu(F.conv2d(value, w3, b3) + x)
    return call


CALLS = {
    "matmul": matmul, "conv": conv, "bert-layer": bert_layer, "resnet-block": resnet_block,
    "softmax": lambda op: lambda x: F.softmax(x, -1),
    "norm": lambda op: lambda x, scale, shift: F.layer_norm(x, x.shape[-1:], scale, shift, 1e-5),
    "gelu": lambda op: F.gelu,
    "sum": lambda op: torch.sum,
    "sum-rows": lambda op: lambda x: torch.sum(x, 1),
    "sum-columns": lambda op: lambda x: torch.sum(x, 0),
    "transpose": lambda op: lambda x: x.T.contiguous(),
    "attention": lambda op: lambda q, k, v: F.scaled_dot_product_attention(q[None], k[None], v[None])[0],
}
# How many of the first inputs are no weights, where weights are frozen.
ACTIVATIONS = {"conv": 1, "bert-layer": 2, "resnet-block": 1}
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "i8": torch.int8, "u8": torch.uint8}


def read(text, path):
    *shape, element = text.split("x")
    with open(path, "rb") as file:
        flat = torch.frombuffer(bytearray(file.read()), dtype=TYPES[element])
    return flat.clone().view([int(size) for size in shape])


class Frozen(torch.nn.Module):
    """`call` with its last arguments, the weights, given once."""

    def __init__(self, call, weights):
        super().__init__()
        self.call = call
        self.weights = torch.nn.ParameterList(
            [torch.nn.Parameter(weight, requires_grad=False) for weight in weights])

    def forward(self, *activations):
        return self.call(*activations, *self.weights)


def compiled(op, inputs):
    """The compiled call, and the inputs that are left to give."""
    call = CALLS[op["op"]](op)
    given = ACTIVATIONS.get(op["op"])
    if given is None:
        return torch.compile(call, dynamic=False), inputs
    torch._inductor.config.freezing = True
    return torch.compile(Frozen(call, inputs[given:]).eval(), dynamic=False), inputs[:given]


def main(pairs):
    first = dict(reversed(pairs))
    values = lambda key: [value for name, value in pairs if name == key]
    torch.set_num_threads(int(first["threads"]))
    with torch.no_grad():  # freezing does nothing in inference_mode
        inputs = [read(*pair) for pair in zip(values("argument"), values("input"))]
        try:
            call, inputs = compiled(first, inputs)
            call(*inputs)
        except Exception as error:  # whatever its compiler throws: it cannot do this one
            fail(error)
        print("ready torch.compile", flush=True)
        for line in sys.stdin:
            what, _, argument = line.strip().partition(" ")
            if what == "run":
                call(*inputs)
                start = time.perf_counter()
                for _ in range(int(argument)):
                    call(*inputs)
                print("%.9g" % (time.perf_counter() - start), flush=True)
            elif what == "write":
                call(*inputs).contiguous().numpy().tofile(argument)
                print("done", flush=True)
            else:
                fail("what is '%s'?" % line)


if __name__ == "__main__":
    main([tuple(pair.split("=", 1)) for pair in sys.argv[1:]])
