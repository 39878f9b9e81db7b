"""The rows of the table, most of them workloads of benchmarks/cpu, with other peers."""

import dataclasses

import modules
import workloads

PEERS = {"torch": {"form": "eager"}, "torch.compile": {"form": "compile"}}
OPEVO = ["matmul_512x1024x1024", "matmul_512x1024x4096", "matmul_512x4096x1024",
         "batch_96_128x128x64_nn", "batch_96_128x128x64_nt", "batch_96_128x128x64_tn",
         "alexnet_conv1_nhwc", "alexnet_conv1_nchw", "alexnet_conv2_nhwc", "alexnet_conv2_nchw",
         "resnet_3x3_56_nhwc", "resnet_3x3_14_nhwc", "resnet_1x1_56_nhwc"]


def beside_torch(workload):
    return dataclasses.replace(workload, contestants=PEERS, goals=[workloads.Goal(tuple(PEERS))])


def matmul(m, n, k, types, post="none"):
    size = "%dx%dx%d" % (m, n, k)
    title = "%s matmul %s%s" % (types, "+ bias + %s " % post if post != "none" else "", size)
    name = "%s_matmul_%s%s" % (types, "bias_%s_" % post if post != "none" else "", size)
    return workloads.matmul(name, m, n, k, types=types, post=post, title=title)


def as_tf32(workload):
    """A product of f32 that may be computed of tf32, by PyTorch too."""
    module = "module attributes {tune.allow = [\"tf32\"]} {\n%s}\n" % workload.module
    return dataclasses.replace(workload, name=workload.name.replace("f32", "tf32"),
                               title=workload.title.replace("f32", "f32 (tf32 allowed)"), module=module,
                               op={**workload.op, "allow": "tf32"}, element="tf32")


def softmax(rows, columns):
    return workloads.row_op("softmax_%dx%d" % (rows, columns), "softmax %dx%d" % (rows, columns), "softmax",
                            (rows, columns), modules.softmax(rows, columns), [rows, columns])


def norm(rows, columns):
    return workloads.row_op("norm_%dx%d" % (rows, columns), "layer norm %dx%d" % (rows, columns), "norm",
                            (rows, columns), modules.norm(rows, columns), [rows, columns],
                            inputs=[([columns], "f32")] * 2)


def transpose(rows, columns):
    return workloads.row_op("transpose_%dx%d" % (rows, columns), "transpose %dx%d" % (rows, columns),
                            "transpose", (rows, columns), modules.transpose(rows, columns), [columns, rows])


def add(count):
    return workloads.row_op("add_%d" % count, "add of %d" % count, "add", (count,), modules.add(count),
                            [count], inputs=[([count], "f32")])


def all_rows():
    known = {row.name: row for row in workloads.all_workloads()}
    rows = [matmul(size, size, size, types) for types in ("f16", "bf16") for size in (4096, 8192)]
    rows += [matmul(size, size, size, "f32") for size in (1024, 4096)]
    rows += [as_tf32(matmul(size, size, size, "f32")) for size in (4096, 8192)]
    rows += [known[name] for name in OPEVO]
    rows += [matmul(4096, 4096, 1024, "f16", "gelu"), softmax(1024, 4096), norm(512, 768),
             transpose(4096, 4096), add(1 << 24)]
    return [beside_torch(row) for row in rows]


def small_rows():
    """One of each kind, small enough for an emulator."""
    rows = [matmul(64, 64, 64, "f16"), as_tf32(matmul(64, 64, 64, "f32")), matmul(32, 64, 32, "f16", "gelu"), softmax(8, 64), norm(8, 64),
            transpose(32, 32), add(1024)]
    return [beside_torch(row) for row in rows]
