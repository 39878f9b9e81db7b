//===- sandbox_calls.c - The system calls that a sandbox forbids ---------------------===//

#include "support/sandbox_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ALWAYS(use, call)                                                                          \
  { __NR_##call, TUNE_CALL_##use, #call, TUNE_CALL_ALWAYS, 0, 0 }
#define WHERE(use, call, test, argument, value)                                                    \
  { __NR_##call, TUNE_CALL_##use, #call, TUNE_CALL_##test, 2 * (argument), value }

#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

const tune_call tune_calls[] = {
    // The network, and what else talks to other processes.
    ALWAYS(HARM, socket),
    ALWAYS(HARM, connect),
    ALWAYS(HARM, bind),
    ALWAYS(HARM, listen),
    ALWAYS(HARM, accept),
    ALWAYS(HARM, accept4),
    ALWAYS(HARM, mq_open),
    ALWAYS(HARM, msgget),
    ALWAYS(HARM, semget),
    ALWAYS(HARM, shmget),
    ALWAYS(HARM, shmat),
    // Asks the kernel for calls that no filter sees.
    ALWAYS(QUIET, io_uring_setup),
    // Other processes.
    ALWAYS(HARM, ptrace),
    ALWAYS(HARM, process_vm_readv),
    ALWAYS(HARM, process_vm_writev),
    ALWAYS(HARM, kcmp),
    ALWAYS(HARM, pidfd_open),
    ALWAYS(HARM, pidfd_getfd),
    ALWAYS(HARM, pidfd_send_signal),
    ALWAYS(QUIET, process_madvise),
    WHERE(START, kill, NOT_SELF, 0, 0),
    WHERE(START, tgkill, NOT_SELF, 0, 0),
    WHERE(START, rt_sigqueueinfo, NOT_SELF, 0, 0),
    WHERE(START, rt_tgsigqueueinfo, NOT_SELF, 0, 0),
    ALWAYS(START, tkill),
    // Programs and processes of its own; threads are made by clone as well.
    ALWAYS(START, execve),
    ALWAYS(START, execveat),
#ifdef __NR_fork
    ALWAYS(START, fork),
    ALWAYS(START, vfork),
#endif
    WHERE(START, clone, NO_BIT, 0, CLONE_THREAD),
    ALWAYS(HIDDEN, clone3),
    // To outlive its parent and its limits.
    ALWAYS(START, setsid),
    ALWAYS(START, setpgid),
    WHERE(START, prctl, EQUAL, 0, PR_SET_PDEATHSIG),
    ALWAYS(QUIET, setrlimit),
    {__NR_prlimit64, TUNE_CALL_QUIET, "prlimit64", TUNE_CALL_NOT_EQUAL, 4, 0},
    {__NR_prlimit64, TUNE_CALL_QUIET, "prlimit64", TUNE_CALL_NOT_EQUAL, 5, 0},
    // The system.
    ALWAYS(HARM, mount),
    ALWAYS(HARM, umount2),
    ALWAYS(HARM, pivot_root),
    ALWAYS(HARM, chroot),
    ALWAYS(HARM, unshare),
    ALWAYS(HARM, setns),
    ALWAYS(HARM, move_mount),
    ALWAYS(HARM, open_tree),
    ALWAYS(HARM, fsopen),
    ALWAYS(HARM, fsconfig),
    ALWAYS(HARM, fsmount),
    ALWAYS(HARM, swapon),
    ALWAYS(HARM, swapoff),
    ALWAYS(HARM, reboot),
    ALWAYS(HARM, kexec_load),
    ALWAYS(HARM, init_module),
    ALWAYS(HARM, finit_module),
    ALWAYS(HARM, delete_module),
    ALWAYS(HARM, sethostname),
    ALWAYS(HARM, setdomainname),
    ALWAYS(HARM, settimeofday),
    ALWAYS(HARM, clock_settime),
    ALWAYS(HARM, acct),
    ALWAYS(HARM, quotactl),
    ALWAYS(HARM, bpf),
    WHERE(QUIET, perf_event_open, NOT_EQUAL, 1, 0), // counts what this process does
    ALWAYS(QUIET, userfaultfd),
    ALWAYS(HARM, open_by_handle_at),
    ALWAYS(HARM, add_key),
    ALWAYS(HARM, request_key),
    ALWAYS(HARM, keyctl),
    ALWAYS(HARM, setuid),
    ALWAYS(HARM, setgid),
    ALWAYS(HARM, setreuid),
    ALWAYS(HARM, setregid),
    ALWAYS(HARM, setresuid),
    ALWAYS(HARM, setresgid),
    ALWAYS(HARM, setgroups),
    ALWAYS(HARM, capset),
    // What Landlock does not see.
    ALWAYS(OWNER, fchmod),
    ALWAYS(OWNER, fchmodat),
    ALWAYS(OWNER, fchown),
    ALWAYS(OWNER, fchownat),
    ALWAYS(OWNER, utimensat),
    ALWAYS(OWNER, setxattr),
    ALWAYS(OWNER, lsetxattr),
    ALWAYS(OWNER, fsetxattr),
    ALWAYS(OWNER, removexattr),
    ALWAYS(OWNER, lremovexattr),
    ALWAYS(OWNER, fremovexattr),
    // What it does, where it is there.
    WHERE(CHANGE, openat, ANY_BIT, 2, WRITES),
    ALWAYS(HIDDEN, openat2),
    ALWAYS(CHANGE, truncate),
    ALWAYS(CHANGE, unlinkat),
    ALWAYS(CHANGE, mkdirat),
    ALWAYS(CHANGE, mknodat),
    ALWAYS(CHANGE, linkat),
    ALWAYS(CHANGE, symlinkat),
#ifdef __NR_renameat
    ALWAYS(CHANGE, renameat),
#endif
    ALWAYS(CHANGE, renameat2),
// Older forms of these.
#ifdef __NR_open
    WHERE(CHANGE, open, ANY_BIT, 1, WRITES),
    ALWAYS(CHANGE, creat),
    ALWAYS(CHANGE, unlink),
    ALWAYS(CHANGE, rmdir),
    ALWAYS(CHANGE, mkdir),
    ALWAYS(CHANGE, mknod),
    ALWAYS(CHANGE, link),
    ALWAYS(CHANGE, symlink),
    ALWAYS(CHANGE, rename),
    ALWAYS(OWNER, chmod),
    ALWAYS(OWNER, chown),
    ALWAYS(OWNER, lchown),
    ALWAYS(OWNER, utime),
    ALWAYS(OWNER, utimes),
    ALWAYS(OWNER, futimesat),
#endif
};

const size_t tune_call_count = sizeof tune_calls / sizeof *tune_calls;
