//===- rule.h - The interface of a rule -----------------------------------===//
//
// A rule knows one class of work on one kind of target: given what a task does
// (structure.h) and what the machine has, it writes a schedule with its decisions left
// open. The first rule in the table (spaces/rule_registry.c) that is for the machine's kind and
// applies is taken.
//
// A new rule is one file in a folder below this one, with one `const tune_rule tune_rule_<name>`,
// and one line each in that folder's CMakeLists.txt and in the table. CONTRIBUTING.md has an
// example.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_RULE_H
#define TUNE_TRANSFORMS_RULES_RULE_H

#include "transforms/rules/machine.h"
#include "transforms/rules/schedule_writer.h"
#include "transforms/structure/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sets of kinds.
#define TUNE_KINDS_CPU (1u << TUNE_KIND_CPU)
#define TUNE_KINDS_GPU (1u << TUNE_KIND_VULKAN | 1u << TUNE_KIND_CUDA)

typedef struct tune_rule {
  const char *name;
  const char *summary;
  unsigned kinds;     // of machines that it is for
  bool takes_layouts; // is asked again with the product's operands in other orders (layouts.h)
  bool leaves_device; // what it makes does not run on the device: a task is cut apart rather
  bool (*applies)(const tune_structure *structure, const tune_machine *machine);
  // Whether what applies is a makeshift here, and another layout to be preferred. NULL: never.
  bool (*yields)(const tune_structure *structure, const tune_machine *machine);
  // Of a rule that multiplies less than the task says: how many times as long the task would take
  // by as many multiplications as it says. NULL: 1.
  double (*gain)(const tune_structure *structure, const tune_machine *machine);
  // Of a rule for whatever there is: whether it has its turn before other layouts. NULL: never.
  bool (*goes_first)(const tune_structure *structure, const tune_machine *machine);
  // Of such a rule: whether it is better than those that are made for the task. NULL: never.
  bool (*leads)(const tune_structure *structure, const tune_machine *machine);
  // Writes the whole schedule module.
  void (*write)(const tune_structure *structure, const tune_machine *machine, tune_writer *writer);
} tune_rule;

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_RULE_H
