//===- task_function.h - Names of the functions of tasks ---------------------===//
//
// A module's tasks are functions of it, @tune_task_<index of the task>. Where the module has that
// symbol already, or a task has several functions, '_' and more follow.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_TASK_FUNCTION_H
#define TUNE_FORMATS_TASK_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_TASK_FUNCTION_PREFIX "tune_task_"

// The index of the task of the function `name`; SIZE_MAX where it is none of a task.
size_t tune_task_function_index(const char *name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_TASK_FUNCTION_H
