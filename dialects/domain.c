//===- domain.c - The attributes of the tune dialect, as C values ----------------===//

#include "dialects/domain.h"

#include "dialects/extensible.h"
#include "dialects/printing.h"
#include "dialects/tune_dialect.h"
#include "support/string_builder.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

// What the values of a kind may be. `minimum` is of integers.
typedef struct kind_rule {
  const char *name;
  bool takes_integers;
  bool takes_labels;
  bool is_ordered;
  int64_t minimum;
} kind_rule;

static const kind_rule kind_rules[TUNE_CHOICE_KIND_COUNT + 1] = {
    [TUNE_CHOICE_TILE] = {"tile", true, false, true, 0},
    [TUNE_CHOICE_FUSE] = {"fuse", true, true, false, INT64_MIN},
    [TUNE_CHOICE_VECTORIZE] = {"vectorize", true, true, true, 0},
    [TUNE_CHOICE_PACK] = {"pack", true, true, false, INT64_MIN},
    [TUNE_CHOICE_ORDER] = {"order", true, true, false, INT64_MIN},
    [TUNE_CHOICE_UNROLL] = {"unroll", true, false, true, 1},
    [TUNE_CHOICE_PARALLEL] = {"parallel", true, false, true, 0},
    [TUNE_CHOICE_ALTERNATIVE] = {"alternative", false, true, false, INT64_MIN},
    [TUNE_CHOICE_PLAIN] = {"plain", true, true, false, INT64_MIN},
};

static const char chosen_name[] = "chosen";

const char *tune_choice_kind_name(tune_choice_kind kind) { return kind_rules[kind].name; }
bool tune_choice_kind_is_ordered(tune_choice_kind kind) { return kind_rules[kind].is_ordered; }

static bool string_ref_equals(MlirStringRef ref, const char *text) {
  return ref.length == strlen(text) && !memcmp(ref.data, text, ref.length);
}

// Whether `name` is that of a kind.
static bool find_kind(MlirStringRef name, tune_choice_kind *out_kind) {
  for (int kind = 0; kind < TUNE_CHOICE_KIND_COUNT; ++kind) {
    if (string_ref_equals(name, kind_rules[kind].name)) {
      *out_kind = (tune_choice_kind)kind;
      return true;
    }
  }
  return false;
}

//===--------------------------------------------------------------------------===//
// Reading attributes
//===--------------------------------------------------------------------------===//

static bool is_tune_attribute(MlirAttribute attribute) {
  return !mlirAttributeIsNull(attribute) && tune_extensible_attribute_is_dynamic(attribute) &&
         string_ref_equals(mlirDialectGetNamespace(mlirAttributeGetDialect(attribute)),
                           TUNE_DIALECT_NAMESPACE);
}

static bool is_i64(MlirAttribute attribute) {
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  MlirType type = mlirAttributeGetType(attribute);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 64 &&
         mlirIntegerTypeIsSignless(type);
}

bool tune_domain_is_attribute(MlirAttribute attribute) {
  tune_choice_kind kind;
  return is_tune_attribute(attribute) &&
         find_kind(tune_extensible_attribute_name(attribute), &kind);
}

bool tune_chosen_is_attribute(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute))
    return false;
  return is_i64(attribute) || mlirAttributeIsAString(attribute) ||
         (is_tune_attribute(attribute) &&
          string_ref_equals(tune_extensible_attribute_name(attribute), chosen_name));
}

// Makes a status that says `problem` of `attribute`, and shows it.
static tune_status refuse(MlirAttribute attribute, const char *problem) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(attribute, tune_printing_append, &text);
  tune_status status = tune_status_make(TUNE_INVALID_ARGUMENT, "%s, but is %s", problem,
                                        text.text && !text.failed ? text.text : "too long to show");
  tune_string_builder_deinit(&text);
  return status;
}

static tune_status refuse_twice(MlirAttribute element) {
  if (mlirAttributeIsAInteger(element))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the value %lld is in the domain twice",
                            (long long)mlirIntegerAttrGetValueInt(element));
  MlirStringRef label = mlirStringAttrGetValue(element);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "the value \"%.*s\" is in the domain twice",
                          (int)label.length, label.data);
}

static char *copy_string(MlirStringRef text) { return strndup(text.data, text.length); }

// Words have to survive as C strings and as parts of "name=word,name=word".
static tune_status check_label(MlirStringRef label) {
  if (label.length == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a value is the empty string");
  if (memchr(label.data, '\0', label.length))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a value has a zero byte in it");
  if (memchr(label.data, ',', label.length) || memchr(label.data, '=', label.length))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the value \"%.*s\" has ',' or '=' in it",
                            (int)label.length, label.data);
  return TUNE_OK;
}

static tune_status check_value(tune_choice_kind kind, int64_t value) {
  const kind_rule *rule = &kind_rules[kind];
  if (value < rule->minimum)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the value %lld is below %lld, the least of #%s.%s", (long long)value,
                            (long long)rule->minimum, TUNE_DIALECT_NAMESPACE, rule->name);
  return TUNE_OK;
}

static tune_status check_element(tune_choice_kind kind, MlirAttribute element,
                                 MlirAttribute first) {
  const kind_rule *rule = &kind_rules[kind];
  if (!rule->takes_integers || (rule->takes_labels && mlirAttributeIsAString(first))) {
    if (!mlirAttributeIsAString(element))
      return refuse(element, rule->takes_integers
                                 ? "a value has to be a string, as the first one is"
                                 : "a value has to be a string");
    return check_label(mlirStringAttrGetValue(element));
  }
  if (!is_i64(element))
    return refuse(element, !rule->takes_labels ? "a value has to be an i64"
                           : mlirAttributeEqual(element, first)
                               ? "a value has to be an i64 or a string"
                               : "a value has to be an i64, as the first one is");
  return check_value(kind, mlirIntegerAttrGetValueInt(element));
}

// Whether `array` may be the domain of a decision of `kind`. Allocates nothing unless it is wrong.
static tune_status check_array(MlirAttribute array, tune_choice_kind kind) {
  if (!mlirAttributeIsAArray(array))
    return refuse(array, "a domain has to be an array");
  intptr_t count = mlirArrayAttrGetNumElements(array);
  if (count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the domain is empty");
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute element = mlirArrayAttrGetElement(array, i);
    TUNE_RETURN_IF_ERROR(check_element(kind, element, mlirArrayAttrGetElement(array, 0)));
    for (intptr_t j = 0; j < i; ++j)
      if (mlirAttributeEqual(element, mlirArrayAttrGetElement(array, j)))
        return refuse_twice(element);
  }
  return TUNE_OK;
}

static tune_status read_elements(MlirAttribute array, tune_domain *domain) {
  size_t count = (size_t)mlirArrayAttrGetNumElements(array);
  bool has_labels = mlirAttributeIsAString(mlirArrayAttrGetElement(array, 0));
  domain->values = calloc(count, sizeof *domain->values);
  if (has_labels)
    domain->labels = calloc(count, sizeof *domain->labels);
  bool failed = !domain->values || (has_labels && !domain->labels);
  for (; !failed && domain->count < count; ++domain->count) {
    MlirAttribute element = mlirArrayAttrGetElement(array, (intptr_t)domain->count);
    if (has_labels) {
      domain->values[domain->count] = (int64_t)domain->count;
      domain->labels[domain->count] = copy_string(mlirStringAttrGetValue(element));
      failed = !domain->labels[domain->count];
    } else {
      domain->values[domain->count] = mlirIntegerAttrGetValueInt(element);
    }
  }
  return failed ? tune_status_out_of_memory("reading a domain") : TUNE_OK;
}

tune_status tune_domain_read_array(MlirAttribute array, tune_choice_kind kind,
                                   tune_domain *out_domain) {
  *out_domain = (tune_domain){.kind = kind};
  TUNE_RETURN_IF_ERROR(check_array(array, kind));
  tune_status status = read_elements(array, out_domain);
  if (!tune_status_is_ok(status))
    tune_domain_deinit(out_domain);
  return status;
}

tune_status tune_domain_read(MlirAttribute attribute, tune_domain *out_domain) {
  *out_domain = (tune_domain){.kind = TUNE_CHOICE_PLAIN};
  tune_choice_kind kind;
  if (!is_tune_attribute(attribute) || !find_kind(tune_extensible_attribute_name(attribute), &kind))
    return refuse(attribute, "a domain has to be an attribute such as #tune.tile<[8, 16]>");
  return tune_domain_read_array(tune_extensible_attribute_parameter(attribute, 0), kind,
                                out_domain);
}

static tune_status check_chosen_value(tune_choice_kind kind, MlirAttribute value) {
  const kind_rule *rule = &kind_rules[kind];
  if (mlirAttributeIsAString(value) && rule->takes_labels)
    return check_label(mlirStringAttrGetValue(value));
  if (is_i64(value) && rule->takes_integers)
    return check_value(kind, mlirIntegerAttrGetValueInt(value));
  return refuse(value, !rule->takes_labels     ? "the value has to be an i64"
                       : !rule->takes_integers ? "the value has to be a string"
                                               : "the value has to be an i64 or a string");
}

static bool begins_with_more(MlirStringRef text, const char *prefix) {
  return text.length > strlen(prefix) && !memcmp(text.data, prefix, strlen(prefix));
}

// Whether `parameters` are those of a #tune.chosen; their number and base types IRDL has checked.
// Allocates nothing unless they are wrong.
static tune_status check_chosen_parameters(const MlirAttribute *parameters,
                                           tune_choice_kind *out_kind) {
  MlirStringRef kind = mlirStringAttrGetValue(parameters[0]);
  if (!find_kind(kind, out_kind))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "no kind of choice is named \"%.*s\"; the kinds are tile, fuse, "
                            "vectorize, pack, order, unroll, parallel and alternative",
                            (int)kind.length, kind.data);
  TUNE_RETURN_IF_ERROR(check_chosen_value(*out_kind, parameters[1]));
  MlirStringRef provenance = mlirStringAttrGetValue(parameters[2]);
  bool is_known =
      string_ref_equals(provenance, "user") || string_ref_equals(provenance, "default") ||
      begins_with_more(provenance, "search:") || begins_with_more(provenance, "database:");
  if (!is_known || memchr(provenance.data, '\0', provenance.length))
    return refuse(parameters[2], "the provenance has to be \"user\", \"default\", "
                                 "\"search:<strategy>\" or \"database:<where>\"");
  return TUNE_OK;
}

static tune_status read_value_and_provenance(MlirAttribute value, MlirStringRef provenance,
                                             tune_chosen *chosen) {
  if (mlirAttributeIsAString(value))
    chosen->label = copy_string(mlirStringAttrGetValue(value));
  else
    chosen->value = mlirIntegerAttrGetValueInt(value);
  chosen->provenance = copy_string(provenance);
  if (!chosen->provenance || (mlirAttributeIsAString(value) && !chosen->label))
    return tune_status_out_of_memory("reading a chosen value");
  return TUNE_OK;
}

static tune_status read_chosen(MlirAttribute attribute, tune_chosen *chosen) {
  MlirAttribute parameters[3];
  for (intptr_t i = 0; i < 3; ++i)
    parameters[i] = tune_extensible_attribute_parameter(attribute, i);
  TUNE_RETURN_IF_ERROR(check_chosen_parameters(parameters, &chosen->kind));
  return read_value_and_provenance(parameters[1], mlirStringAttrGetValue(parameters[2]), chosen);
}

static tune_status read_plain(MlirAttribute attribute, tune_chosen *chosen) {
  TUNE_RETURN_IF_ERROR(check_chosen_value(TUNE_CHOICE_PLAIN, attribute));
  return read_value_and_provenance(attribute, mlirStringRefCreateFromCString("user"), chosen);
}

tune_status tune_chosen_read(MlirAttribute attribute, tune_chosen *out_chosen) {
  *out_chosen = (tune_chosen){.kind = TUNE_CHOICE_PLAIN};
  if (!tune_chosen_is_attribute(attribute))
    return refuse(attribute, "a chosen value has to be #tune.chosen<...>, an i64 or a string");
  tune_status status = is_tune_attribute(attribute) ? read_chosen(attribute, out_chosen)
                                                    : read_plain(attribute, out_chosen);
  if (!tune_status_is_ok(status))
    tune_chosen_deinit(out_chosen);
  return status;
}

tune_status tune_domain_verify_parameters(const char *name, intptr_t parameter_count,
                                          const MlirAttribute *parameters) {
  tune_choice_kind kind;
  if (parameter_count == 1 && find_kind(mlirStringRefCreateFromCString(name), &kind))
    return check_array(parameters[0], kind);
  if (parameter_count == 3 && !strcmp(name, chosen_name))
    return check_chosen_parameters(parameters, &kind);
  return tune_status_make(TUNE_INTERNAL, "#%s.%s with %zd parameters is not one of ours",
                          TUNE_DIALECT_NAMESPACE, name, (ssize_t)parameter_count);
}

//===--------------------------------------------------------------------------===//
// Making attributes
//===--------------------------------------------------------------------------===//

static MlirAttribute make_i64(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

static MlirAttribute make_string(MlirContext context, const char *text) {
  return mlirStringAttrGet(context, mlirStringRefCreateFromCString(text));
}

tune_status tune_domain_write(MlirContext context, const tune_domain *domain,
                              MlirAttribute *out_attribute) {
  *out_attribute = mlirAttributeGetNull();
  MlirAttribute *elements = calloc(domain->count ? domain->count : 1, sizeof *elements);
  if (!elements)
    return tune_status_out_of_memory("writing a domain");
  for (size_t i = 0; i < domain->count; ++i)
    elements[i] = domain->labels ? make_string(context, domain->labels[i])
                                 : make_i64(context, domain->values[i]);
  MlirAttribute array = mlirArrayAttrGet(context, (intptr_t)domain->count, elements);
  free(elements);
  return tune_extensible_attribute_create(mlirLocationUnknownGet(context), TUNE_DIALECT_NAMESPACE,
                                          tune_choice_kind_name(domain->kind), 1, &array,
                                          out_attribute);
}

tune_status tune_chosen_write(MlirContext context, const tune_chosen *chosen,
                              MlirAttribute *out_attribute) {
  MlirAttribute value =
      chosen->label ? make_string(context, chosen->label) : make_i64(context, chosen->value);
  *out_attribute = value;
  if (chosen->kind == TUNE_CHOICE_PLAIN)
    return TUNE_OK;
  const MlirAttribute parameters[] = {make_string(context, tune_choice_kind_name(chosen->kind)),
                                      value, make_string(context, chosen->provenance)};
  return tune_extensible_attribute_create(mlirLocationUnknownGet(context), TUNE_DIALECT_NAMESPACE,
                                          chosen_name, 3, parameters, out_attribute);
}

//===--------------------------------------------------------------------------===//
// Values
//===--------------------------------------------------------------------------===//

tune_status tune_domain_init_copy(tune_domain *domain, const tune_domain *other) {
  *domain = (tune_domain){.kind = other->kind};
  domain->values = calloc(other->count ? other->count : 1, sizeof *domain->values);
  if (other->labels)
    domain->labels = calloc(other->count ? other->count : 1, sizeof *domain->labels);
  bool failed = !domain->values || (other->labels && !domain->labels);
  for (; !failed && domain->count < other->count; ++domain->count) {
    domain->values[domain->count] = other->values[domain->count];
    if (other->labels) {
      domain->labels[domain->count] = strdup(other->labels[domain->count]);
      failed = !domain->labels[domain->count];
    }
  }
  if (!failed)
    return TUNE_OK;
  tune_domain_deinit(domain);
  return tune_status_out_of_memory("copying a domain");
}

void tune_domain_deinit(tune_domain *domain) {
  for (size_t i = 0; domain->labels && i < domain->count; ++i)
    free(domain->labels[i]);
  free(domain->labels);
  free(domain->values);
  *domain = (tune_domain){.kind = TUNE_CHOICE_PLAIN};
}

tune_status tune_domain_to_text(const tune_domain *domain, char **out_text) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < domain->count; ++i) {
    tune_string_builder_append(&text, i ? ", " : "[");
    if (domain->labels)
      tune_string_builder_append(&text, domain->labels[i]);
    else
      tune_string_builder_appendf(&text, "%lld", (long long)domain->values[i]);
  }
  tune_string_builder_append(&text, domain->count ? "]" : "[]");
  return tune_string_builder_finish(&text, out_text);
}

tune_status tune_chosen_init_copy(tune_chosen *chosen, const tune_chosen *other) {
  *chosen = (tune_chosen){.kind = other->kind, .value = other->value};
  chosen->label = other->label ? strdup(other->label) : NULL;
  chosen->provenance = other->provenance ? strdup(other->provenance) : NULL;
  if ((!other->label || chosen->label) && (!other->provenance || chosen->provenance))
    return TUNE_OK;
  tune_chosen_deinit(chosen);
  return tune_status_out_of_memory("copying a chosen value");
}

void tune_chosen_deinit(tune_chosen *chosen) {
  free(chosen->label);
  free(chosen->provenance);
  *chosen = (tune_chosen){.kind = TUNE_CHOICE_PLAIN};
}

tune_status tune_domain_find(const tune_domain *domain, const tune_chosen *chosen,
                             size_t *out_index) {
  for (size_t i = 0; i < domain->count; ++i) {
    bool same = chosen->label ? domain->labels && !strcmp(domain->labels[i], chosen->label)
                              : domain->values[i] == chosen->value;
    if (same) {
      *out_index = i;
      return TUNE_OK;
    }
  }
  char *text = NULL;
  TUNE_RETURN_IF_ERROR(tune_domain_to_text(domain, &text));
  tune_status status =
      chosen->label
          ? tune_status_make(TUNE_INVALID_ARGUMENT, "the value \"%s\", not in its domain %s",
                             chosen->label, text)
          : tune_status_make(TUNE_INVALID_ARGUMENT, "the value %lld, not in its domain %s",
                             (long long)chosen->value, text);
  free(text);
  return status;
}
