//===- lock_file.h - Paths of the locks on cores -----------------------------===//
//
// The file on whose bytes whoever times something holds locks (tools/tune-measure/cpu_lock.h):
// /tmp/mlir-tune-UID/cpus.lock, or $XDG_RUNTIME_DIR/mlir-tune-UID/cpus.lock where that cannot be
// used. Its folder has to be one that this user alone may write to, so that nobody can put
// something else in its place.
//
// Threads: any, as long as none changes the environment.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_LOCK_FILE_H
#define TUNE_SUPPORT_LOCK_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

// Opens the file, and makes it and its folder where they are not there. The descriptor is the
// caller's, to close; -1 where neither folder can be used.
int tune_lock_file_open(void);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_LOCK_FILE_H
