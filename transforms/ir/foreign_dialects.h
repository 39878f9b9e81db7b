//===- foreign_dialects.h - Dialects of front ends, and what lowers them ------===//
//
// Dialects that front ends leave behind when they were not asked to go on to linalg. Most of them
// upstream cannot even parse.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_FOREIGN_DIALECTS_H
#define TUNE_TRANSFORMS_IR_FOREIGN_DIALECTS_H

#ifdef __cplusplus
extern "C" {
#endif

// What an op of that name ("stablehlo.add") is, and the command that makes linalg of it: static
// text that goes on "<op>: …". NULL for ops of other dialects.
const char *tune_foreign_dialect_advice(const char *op_name);

// The same for the first op, type or attribute of such a dialect in a module's text, of those that
// upstream has no parser for. `*out_name` (static) is that dialect's.
const char *tune_foreign_dialect_find(const char *text, const char **out_name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_FOREIGN_DIALECTS_H
