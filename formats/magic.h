//===- magic.h - First bytes of our files ------------------------------------===//
//
// So that who is given another kind of file can say which it is.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_MAGIC_H
#define TUNE_FORMATS_MAGIC_H

#ifdef __cplusplus
extern "C" {
#endif

// Candidates to be measured elsewhere (tuning/remote/export_file.h).
#define TUNE_EXPORT_MAGIC "TUNEEXPT"

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_MAGIC_H
