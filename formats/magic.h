//===- magic.h - How files of ours begin -------------------------------------===//
//
// So that who is given another kind of file can say which it is.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_MAGIC_H
#define TUNE_FORMATS_MAGIC_H

// Candidates to be measured elsewhere (tuning/remote/export_file.h).
#define TUNE_EXPORT_MAGIC "TUNEEXPT"

#endif // TUNE_FORMATS_MAGIC_H
