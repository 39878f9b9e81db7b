//===- choices.c - The decisions on an op ----------------------------------------===//

#include "dialects/choices.h"

#include "dialects/diagnostic.h"

#include "mlir-c/BuiltinAttributes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void choice_deinit(tune_choice *choice) {
  free(choice->name);
  tune_domain_deinit(&choice->domain);
  tune_chosen_deinit(&choice->chosen);
}

void tune_choices_deinit(tune_choices *choices) {
  for (size_t i = 0; i < choices->count; ++i)
    choice_deinit(&choices->items[i]);
  free(choices->items);
  *choices = (tune_choices){0};
}

//===--------------------------------------------------------------------------===//
// Reading and writing
//===--------------------------------------------------------------------------===//

static MlirAttribute get_attribute(MlirOperation op) {
  return mlirOperationGetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(TUNE_CHOICES_ATTRIBUTE));
}

bool tune_choices_are_on(MlirOperation op) { return !mlirAttributeIsNull(get_attribute(op)); }

static MlirWalkResult find_choices(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = tune_choices_are_on(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_choices_are_in(MlirOperation root) {
  bool found = false;
  mlirOperationWalk(root, find_choices, &found, MlirWalkPreOrder);
  return found;
}

static bool is_word(const char *name, size_t length) {
  if (length == 0 || !(isalpha((unsigned char)name[0]) || name[0] == '_'))
    return false;
  for (size_t i = 1; i < length; ++i)
    if (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
      return false;
  return true;
}

static tune_status read_choice(MlirNamedAttribute named, tune_choice *choice) {
  MlirStringRef name = mlirIdentifierStr(named.name);
  *choice = (tune_choice){0};
  if (!is_word(name.data, name.length))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the name is not a word");
  choice->name = strndup(name.data, name.length);
  if (!choice->name)
    return tune_status_out_of_memory("reading a choice");
  choice->is_open = tune_domain_is_attribute(named.attribute);
  if (choice->is_open)
    return tune_domain_read(named.attribute, &choice->domain);
  if (tune_chosen_is_attribute(named.attribute))
    return tune_chosen_read(named.attribute, &choice->chosen);
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "expected a domain such as #tune.tile<[8, 16]>, a #tune.chosen, an i64 or "
      "a string");
}

static tune_status read_dictionary(MlirAttribute dictionary, tune_choices *choices) {
  intptr_t count = mlirDictionaryAttrGetNumElements(dictionary);
  choices->items = calloc(count ? (size_t)count : 1, sizeof *choices->items);
  if (!choices->items)
    return tune_status_out_of_memory("reading choices");
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute named = mlirDictionaryAttrGetElement(dictionary, i);
    MlirStringRef name = mlirIdentifierStr(named.name);
    tune_status status = read_choice(named, &choices->items[choices->count++]);
    if (!tune_status_is_ok(status))
      return tune_status_annotate(status, TUNE_CHOICES_ATTRIBUTE ": \"%.*s\"", (int)name.length,
                                  name.data);
  }
  return TUNE_OK;
}

const char *const tune_choices_targets[] = {"cpu", "cuda", "null", "vulkan", NULL};

static bool is_by_target(MlirAttribute attribute) {
  return mlirAttributeIsADictionary(attribute) && mlirDictionaryAttrGetNumElements(attribute) > 0 &&
         mlirAttributeIsADictionary(mlirDictionaryAttrGetElement(attribute, 0).attribute);
}

bool tune_choices_are_by_target(MlirOperation op) {
  MlirAttribute attribute = get_attribute(op);
  return !mlirAttributeIsNull(attribute) && is_by_target(attribute);
}

static bool is_target(MlirStringRef name) {
  for (const char *const *target = tune_choices_targets; *target; ++target)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(*target)))
      return true;
  return false;
}

// That a dictionary of dictionaries has nothing else, for targets that there are.
static tune_status check_targets(MlirAttribute attribute) {
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attribute); ++i) {
    MlirNamedAttribute named = mlirDictionaryAttrGetElement(attribute, i);
    MlirStringRef name = mlirIdentifierStr(named.name);
    if (!is_target(name))
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              TUNE_CHOICES_ATTRIBUTE ": \"%.*s\": no such target; choices by "
                                                     "target are for cpu, cuda, null or vulkan",
                              (int)name.length, name.data);
    if (!mlirAttributeIsADictionary(named.attribute))
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              TUNE_CHOICES_ATTRIBUTE ": \"%.*s\": expected a dictionary {name = "
                                                     "choice, ...}, as the other targets have",
                              (int)name.length, name.data);
  }
  return TUNE_OK;
}

static tune_status read_attribute(MlirAttribute attribute, const char *target,
                                  tune_choices *choices) {
  if (!mlirAttributeIsADictionary(attribute))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            TUNE_CHOICES_ATTRIBUTE ": expected a dictionary {name = choice, ...}");
  if (!is_by_target(attribute))
    return read_dictionary(attribute, choices);
  TUNE_RETURN_IF_ERROR(check_targets(attribute));
  choices->target = target;
  MlirAttribute own =
      mlirDictionaryAttrGetElementByName(attribute, mlirStringRefCreateFromCString(target));
  return mlirAttributeIsNull(own) ? TUNE_OK : read_dictionary(own, choices);
}

tune_status tune_choices_read(MlirOperation op, const char *target, tune_choices *out_choices) {
  *out_choices = (tune_choices){0};
  MlirAttribute attribute = get_attribute(op);
  if (mlirAttributeIsNull(attribute))
    return TUNE_OK;
  tune_status status = read_attribute(attribute, target, out_choices);
  if (!tune_status_is_ok(status))
    tune_choices_deinit(out_choices);
  return tune_status_locate(status, tune_location_get(op));
}

static tune_status make_dictionary(MlirContext context, const tune_choices *choices,
                                   MlirNamedAttribute *named, MlirAttribute *out_dictionary) {
  for (size_t i = 0; i < choices->count; ++i) {
    const tune_choice *choice = &choices->items[i];
    MlirAttribute value;
    tune_status status = choice->is_open ? tune_domain_write(context, &choice->domain, &value)
                                         : tune_chosen_write(context, &choice->chosen, &value);
    if (!tune_status_is_ok(status))
      return tune_status_annotate(status, TUNE_CHOICES_ATTRIBUTE ": \"%s\"", choice->name);
    named[i] = mlirNamedAttributeGet(
        mlirIdentifierGet(context, mlirStringRefCreateFromCString(choice->name)), value);
  }
  *out_dictionary = mlirDictionaryAttrGet(context, (intptr_t)choices->count, named);
  return TUNE_OK;
}

// `op` gets `dictionary`, or none where that is empty.
static void set_attribute(MlirOperation op, MlirAttribute dictionary) {
  MlirStringRef name = mlirStringRefCreateFromCString(TUNE_CHOICES_ATTRIBUTE);
  if (mlirDictionaryAttrGetNumElements(dictionary) == 0)
    mlirOperationRemoveDiscardableAttributeByName(op, name);
  else
    mlirOperationSetDiscardableAttributeByName(op, name, dictionary);
}

// What `op` has, with `own` in the place of what it has for `target`.
static tune_status set_own(MlirOperation op, const char *target, MlirAttribute own) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute all = get_attribute(op);
  if (mlirAttributeIsNull(all))
    all = mlirDictionaryAttrGet(context, 0, NULL);
  intptr_t count = mlirDictionaryAttrGetNumElements(all), kept = 0;
  if (count > 0 && !is_by_target(all))
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            TUNE_CHOICES_ATTRIBUTE ": these choices say for no target, so that "
                                                   "those for %s have no place beside them; write "
                                                   "{<target> = {...}} around them",
                            target);
  MlirNamedAttribute *named = calloc((size_t)count + 1, sizeof *named);
  if (!named)
    return tune_status_out_of_memory("writing choices");
  MlirStringRef name = mlirStringRefCreateFromCString(target);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute one = mlirDictionaryAttrGetElement(all, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(one.name), name))
      named[kept++] = one;
  }
  if (mlirDictionaryAttrGetNumElements(own) > 0)
    named[kept++] = mlirNamedAttributeGet(mlirIdentifierGet(context, name), own);
  set_attribute(op, mlirDictionaryAttrGet(context, kept, named));
  free(named);
  return TUNE_OK;
}

tune_status tune_choices_write(MlirOperation op, const tune_choices *choices) {
  MlirNamedAttribute *named = calloc(choices->count + 1, sizeof *named);
  if (!named)
    return tune_status_out_of_memory("writing choices");
  MlirAttribute dictionary;
  tune_status status = make_dictionary(mlirOperationGetContext(op), choices, named, &dictionary);
  free(named);
  if (tune_status_is_ok(status) && choices->target)
    status = set_own(op, choices->target, dictionary);
  else if (tune_status_is_ok(status))
    set_attribute(op, dictionary);
  return tune_status_locate(status, tune_location_get(op));
}

//===--------------------------------------------------------------------------===//
// Finding and setting
//===--------------------------------------------------------------------------===//

// The position of `name`, or where it would have to be inserted.
static size_t lower_bound(const tune_choices *choices, const char *name, bool *out_found) {
  size_t low = 0, high = choices->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(choices->items[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *out_found = low < choices->count && !strcmp(choices->items[low].name, name);
  return low;
}

const tune_choice *tune_choices_find(const tune_choices *choices, const char *name) {
  bool found;
  size_t position = lower_bound(choices, name, &found);
  return found ? &choices->items[position] : NULL;
}

// Puts `choice`, whose content it takes over, under `name` in any case: on failure it is freed.
static tune_status put(tune_choices *choices, const char *name, tune_choice choice) {
  bool found;
  size_t position = lower_bound(choices, name, &found);
  if (found) {
    choice.name = choices->items[position].name;
    choices->items[position].name = NULL;
    choice_deinit(&choices->items[position]);
    choices->items[position] = choice;
    return TUNE_OK;
  }
  choice.name = strdup(name);
  tune_choice *items =
      choice.name ? realloc(choices->items, (choices->count + 1) * sizeof *items) : NULL;
  if (!items) {
    choice_deinit(&choice);
    return tune_status_out_of_memory("setting a choice");
  }
  memmove(&items[position + 1], &items[position], (choices->count - position) * sizeof *items);
  items[position] = choice;
  choices->items = items;
  ++choices->count;
  return TUNE_OK;
}

static tune_status check_name(const char *name) {
  if (!is_word(name, strlen(name)))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            TUNE_CHOICES_ATTRIBUTE ": the name \"%s\" is not a word", name);
  return TUNE_OK;
}

tune_status tune_choices_set_open(tune_choices *choices, const char *name,
                                  const tune_domain *domain) {
  TUNE_RETURN_IF_ERROR(check_name(name));
  tune_choice choice = {.is_open = true};
  TUNE_RETURN_IF_ERROR(tune_domain_init_copy(&choice.domain, domain));
  return put(choices, name, choice);
}

tune_status tune_choices_set_chosen(tune_choices *choices, const char *name,
                                    const tune_chosen *chosen) {
  TUNE_RETURN_IF_ERROR(check_name(name));
  tune_choice choice = {.is_open = false};
  TUNE_RETURN_IF_ERROR(tune_chosen_init_copy(&choice.chosen, chosen));
  return put(choices, name, choice);
}

//===--------------------------------------------------------------------------===//
// Verifying
//===--------------------------------------------------------------------------===//

// Whether `name` is tune.choices with one letter missing, added or wrong, or two swapped.
static bool is_mistyped(MlirStringRef name) {
  static const char right[] = TUNE_CHOICES_ATTRIBUTE;
  size_t length = sizeof right - 1, head = 0, tail = 0;
  if (name.length + 1 < length || name.length > length + 1)
    return false;
  size_t shorter = name.length < length ? name.length : length;
  while (head < shorter && name.data[head] == right[head])
    ++head;
  while (tail < shorter - head && name.data[name.length - 1 - tail] == right[length - 1 - tail])
    ++tail;
  size_t given_rest = name.length - head - tail, right_rest = length - head - tail;
  if (given_rest == 2 && right_rest == 2)
    return name.data[head] == right[head + 1] && name.data[head + 1] == right[head];
  return given_rest + right_rest > 0 && given_rest <= 1 && right_rest <= 1;
}

static tune_status verify_op(MlirOperation op) {
  bool by_target = tune_choices_are_by_target(op);
  for (const char *const *target = tune_choices_targets; *target; ++target) {
    tune_choices choices;
    tune_status status = tune_choices_read(op, *target, &choices);
    tune_choices_deinit(&choices);
    TUNE_RETURN_IF_ERROR(status);
    if (!by_target)
      break;
  }
  intptr_t count = mlirOperationGetNumDiscardableAttributes(op);
  for (intptr_t i = 0; i < count; ++i) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (is_mistyped(name))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "%.*s: no such attribute; did you mean " TUNE_CHOICES_ATTRIBUTE
                                 "?",
                                 (int)name.length, name.data);
  }
  return TUNE_OK;
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  tune_status *status = user_data;
  *status = verify_op(op);
  return tune_status_is_ok(*status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_choices_verify(MlirOperation root) {
  tune_status status = TUNE_OK;
  mlirOperationWalk(root, visit, &status, MlirWalkPreOrder);
  return status;
}

static MlirWalkResult strip_op(MlirOperation op, void *user_data) {
  (void)user_data;
  mlirOperationRemoveDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(TUNE_CHOICES_ATTRIBUTE));
  return MlirWalkResultAdvance;
}

void tune_choices_strip(MlirOperation root) {
  mlirOperationWalk(root, strip_op, NULL, MlirWalkPreOrder);
}
