# How lit runs the tests of this folder.
#
# In RUN lines: tune-opt, tune-run, tune-db, tune-worker, tune-measure (with or without a % before)
# are this build's, in %bindir; mlir-opt, FileCheck, not, split-file those of LLVM 22. %plugin is tune_plugin.so,
# %libdir the folder of libraries, %examples that of examples, %cc the C compiler, %fake_cuda what
# TUNE_CUDA_LOADER names to run CUDA without a GPU (CONTRIBUTING.md), %failing_worker a tune-worker whose
# schedules fail where it is told to (unittests/faults/failing_schedules.c). Each test has a
# cache folder of its own (%t.cache, where the database goes by default), empty at its start.
#
# `REQUIRES: asan` and `UNSUPPORTED: asan` are for tests that need or cannot bear the sanitizers,
# `REQUIRES: own-mounts` for those that mount file systems, in a namespace of their own, `terminals` for
# those that run a program on one, `landlock` for those of the sandbox, `sysfs` for those that need a folder where not even root may write,
# `vulkan` for those that need a device, `cooperative-matrices` for those that need SPIRV-Tools of Debian 13, `ptxas` for those that need NVIDIA's assembler
# (tune-run --emit=cubin says where it is looked for; scripts/install-dependencies --ptxas fetches it).
#
# A test is of `make check`, unless its first lines say another tier: `REQUIRES: check-all`,
# `REQUIRES: nightly`, or `REQUIRES: nightly || !asan` for what takes up to a minute under sanitizers.
# Where all tests of a folder do, its lit.local.cfg says it, as config.tune_tier. TUNE_TIER="check check-all"
# runs the tests of these tiers and no others; without it all are run.

import ctypes
import os
import pty
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(__file__))
from tune_format import TIERS, TuneFormat, tier_features, wanted_tiers

config.name = "mlir-tune"
config.test_format = TuneFormat(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tune_build_dir, "lit_tests")

tune_bin = os.path.join(config.tune_build_dir, "bin")
path = [tune_bin, config.llvm_tools_dir, "/usr/local/bin", "/usr/bin", "/bin"]

# Nothing of the user's: no width of a terminal, no language, no options for FileCheck.
for name in ("COLUMNS", "LINES", "LANG", "LANGUAGE", "FILECHECK_OPTS"):
    config.environment.pop(name, None)
config.environment["LC_ALL"] = "C.UTF-8"

for tool in ("tune-opt", "tune-run", "tune-db", "tune-worker", "tune-measure"):
    config.substitutions.append(("%" + tool, os.path.join(tune_bin, tool)))
config.substitutions += [
    ("%plugin", os.path.join(config.tune_build_dir, "lib", "tune_plugin.so")),
    ("%bindir", tune_bin),
    ("%libdir", os.path.join(config.tune_build_dir, "lib")),
    ("%failing_worker", os.path.join(config.tune_build_dir, "unittests", "tune_failing_worker")),
    ("%fake_cuda", os.path.join(config.tune_build_dir, "lib", "libtune_fake_cuda.so")),
    ("%examples", os.path.join(config.tune_source_dir, "examples")),
    ("%cc", config.tune_c_compiler),
]

config.available_features |= tier_features(max(wanted_tiers(), key=TIERS.index))

# landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)
if ctypes.CDLL(None).syscall(444, None, 0, 1) > 0:
    config.available_features.add("landlock")

if config.tune_sanitize:
    config.available_features.add("asan")
    # What upstream's libraries never free is theirs; a leak of ours shows in the unit tests.
    # The limit on core dumps is what the sandbox of builds does not let a preloaded runtime set.
    # Freed memory is used again after 32 MB, not 256: most of it is MLIR's, and a third of the time
    # went into pages for it.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:disable_coredump=0:quarantine_size_mb=32"
    # A program that is not instrumented can load a plugin that is if the runtime comes first.
    runtime = subprocess.run(
        [config.tune_c_compiler, "-print-file-name=libasan.so"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()
    wrappers = os.path.join(config.test_exec_root, "bin")
    os.makedirs(wrappers, exist_ok=True)
    wrapper = os.path.join(wrappers, "mlir-opt")
    with open(wrapper + ".new", "w") as file:
        file.write("#!/bin/sh\n")
        file.write("LD_PRELOAD=%s exec %s/mlir-opt \"$@\"\n" % (runtime, config.llvm_tools_dir))
    os.chmod(wrapper + ".new", 0o755)
    os.rename(wrapper + ".new", wrapper)
    path.insert(0, wrappers)
else:
    # What is read after it was freed is nothing: MLIR's own code is instrumented in no build.
    config.environment["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"

if subprocess.run(
    ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
    capture_output=True,
).returncode == 0:
    config.available_features.add("own-mounts")

# Not in a bare chroot, where /dev/pts and /sys are empty folders.
try:
    for end in pty.openpty():
        os.close(end)
    config.available_features.add("terminals")
except OSError:
    pass
if os.path.ismount("/sys"):
    config.available_features.add("sysfs")

if subprocess.run(
    [os.path.join(tune_bin, "tune-measure"), "--fingerprint", "--target=vulkan"],
    capture_output=True,
).returncode == 0:
    config.available_features.add("vulkan")

# Whether the SPIRV-Tools that this was built with know cooperative matrices: their code has to be valid.
space = subprocess.run(
    [os.path.join(tune_bin, "tune-opt"), os.path.join(config.test_source_root, "cuda", "Inputs", "f16.mlir"), "-o", os.devnull,
     "--tune-print-space=target=vulkan device=" + os.path.join(config.test_source_root, "vulkan", "Inputs", "matrices.json")],
    stderr=subprocess.PIPE, text=True)
if "tensor_cores" in space.stderr:
    config.available_features.add("cooperative-matrices")

config.environment["PATH"] = os.pathsep.join(path)

# NVIDIA's assembler: as transforms/lower/cuda/ptxas.c looks for it, else what was fetched for tests.
fetched = os.path.join(config.tune_source_dir, "build", "ptxas")
ptxas = os.environ.get("TUNE_PTXAS") or shutil.which("ptxas", path=os.pathsep.join(
    [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"), "/usr/local/cuda/bin",
     os.environ.get("PATH", ""), fetched]))
if ptxas and os.access(ptxas, os.X_OK):
    config.environment["TUNE_PTXAS"] = ptxas
    config.available_features.add("ptxas")
