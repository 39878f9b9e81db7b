//===- verify_pass.c - The pass tune-verify ----------------------------------===//
//
// Every pass of ours verifies the choices in a module before it does its own work. This
// one has no other work; on request it names the choices in remarks.
//
//===--------------------------------------------------------------------------===//

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/passes/passes.h"

#include <stdlib.h>

typedef enum listed { LIST_NONE, LIST_OPEN, LIST_CHOSEN, LIST_ALL } listed;

static const char *const listed_words[] = {"none", "open", "chosen", "all", NULL};

static const tune_pass_option options_table[] = {
    {.name = "list",
     .type = TUNE_PASS_OPTION_ENUM,
     .words = listed_words,
     .initial = "none",
     .takes_bare_word = true,
     .summary = "the choices to name in remarks: none (default), open, chosen, all"},
};

// `target` stands before the name where the op has choices for several: "vulkan: ".
static tune_status list_choice(MlirOperation op, const tune_choice *choice, const char *target,
                               listed which) {
  const char *colon = target ? ": " : "";
  target = target ? target : "";
  MlirLocation location = mlirOperationGetLocation(op);
  if (choice->is_open && which != LIST_CHOSEN) {
    char *domain;
    TUNE_RETURN_IF_ERROR(tune_domain_to_text(&choice->domain, &domain));
    tune_remark_emit(location, "%s%s%s: open, %s %s", target, colon, choice->name,
                     tune_choice_kind_name(choice->domain.kind), domain);
    free(domain);
  } else if (!choice->is_open && which != LIST_OPEN) {
    const tune_chosen *chosen = &choice->chosen;
    if (chosen->label)
      tune_remark_emit(location, "%s%s%s: %s, from %s", target, colon, choice->name, chosen->label,
                       chosen->provenance);
    else
      tune_remark_emit(location, "%s%s%s: %lld, from %s", target, colon, choice->name,
                       (long long)chosen->value, chosen->provenance);
  }
  return TUNE_OK;
}

static tune_status list_op(MlirOperation op, listed which) {
  bool by_target = tune_choices_are_by_target(op);
  for (const char *const *target = tune_choices_targets; *target; ++target) {
    tune_choices choices;
    tune_status status = tune_choices_read(op, *target, &choices);
    for (size_t i = 0; tune_status_is_ok(status) && i < choices.count; ++i)
      status = list_choice(op, &choices.items[i], choices.target, which);
    tune_choices_deinit(&choices);
    if (!by_target || !tune_status_is_ok(status))
      return status;
  }
  return TUNE_OK;
}

typedef struct walk_state {
  listed which;
  tune_status status;
} walk_state;

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  walk_state *state = user_data;
  state->status = list_op(op, state->which);
  return tune_status_is_ok(state->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status verify_run(MlirOperation module, const tune_pass_options *options) {
  walk_state state = {.which = (listed)tune_pass_options_get_enum(options, "list")};
  if (state.which != LIST_NONE)
    mlirOperationWalk(module, visit, &state, MlirWalkPreOrder);
  return state.status;
}

const tune_pass_class tune_pass_verify = {
    .name = "tune-verify",
    .summary = "Check the tuning choices in a module, and list them on request",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .run = verify_run,
};
