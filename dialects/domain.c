//===- domain.c - The attributes of the tune dialect, as C values ----------------===//

#include "dialects/domain.h"

#include "dialects/extensible.h"
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

tune_status tune_choice_kind_parse(const char *text, tune_choice_kind *out_kind) {
  if (find_kind(mlirStringRefCreateFromCString(text), out_kind))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "no kind of choice is named '%s'; the kinds are tile, fuse, vectorize, "
                          "pack, order, unroll, parallel and alternative",
                          text);
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

static void append_chunk(MlirStringRef chunk, void *builder) {
  tune_string_builder_append_bytes(builder, chunk.data, chunk.length);
}

// Makes a status that says `problem` of `attribute`, and shows it.
static tune_status refuse(MlirAttribute attribute, const char *problem) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(attribute, append_chunk, &text);
  tune_status status = tune_status_make(TUNE_INVALID_ARGUMENT, "%s, but is %s", problem,
                                        text.text && !text.failed ? text.text : "too long to show");
  tune_string_builder_deinit(&text);
  return status;
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

// Appends one element of a domain; `domain` has room for it.
static tune_status append_label(tune_domain *domain, MlirAttribute element) {
  MlirStringRef label = mlirStringAttrGetValue(element);
  TUNE_RETURN_IF_ERROR(check_label(label));
  for (size_t i = 0; i < domain->count; ++i)
    if (string_ref_equals(label, domain->labels[i]))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "the value \"%s\" is in the domain twice",
                              domain->labels[i]);
  domain->labels[domain->count] = copy_string(label);
  if (!domain->labels[domain->count])
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading a domain");
  domain->values[domain->count] = (int64_t)domain->count;
  ++domain->count;
  return TUNE_OK;
}

static tune_status append_value(tune_domain *domain, MlirAttribute element) {
  int64_t value = mlirIntegerAttrGetValueInt(element);
  const kind_rule *rule = &kind_rules[domain->kind];
  if (value < rule->minimum)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the value %lld is below %lld, the least of #%s.%s", (long long)value,
                            (long long)rule->minimum, TUNE_DIALECT_NAMESPACE, rule->name);
  for (size_t i = 0; i < domain->count; ++i)
    if (domain->values[i] == value)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "the value %lld is in the domain twice",
                              (long long)value);
  domain->values[domain->count++] = value;
  return TUNE_OK;
}

static tune_status read_elements(MlirAttribute array, tune_domain *domain) {
  intptr_t count = mlirArrayAttrGetNumElements(array);
  if (count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the domain is empty");
  const kind_rule *rule = &kind_rules[domain->kind];
  bool has_labels = rule->takes_labels && mlirAttributeIsAString(mlirArrayAttrGetElement(array, 0));
  domain->values = calloc((size_t)count, sizeof *domain->values);
  if (has_labels)
    domain->labels = calloc((size_t)count, sizeof *domain->labels);
  if (!domain->values || (has_labels && !domain->labels))
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading a domain");
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute element = mlirArrayAttrGetElement(array, i);
    if (has_labels) {
      if (!mlirAttributeIsAString(element))
        return refuse(element, "a value has to be a string, as the first one is");
      TUNE_RETURN_IF_ERROR(append_label(domain, element));
    } else if (!rule->takes_integers) {
      return refuse(element, "a value has to be a string");
    } else {
      if (!is_i64(element))
        return refuse(element, !rule->takes_labels ? "a value has to be an i64"
                               : i == 0            ? "a value has to be an i64 or a string"
                                        : "a value has to be an i64, as the first one is");
      TUNE_RETURN_IF_ERROR(append_value(domain, element));
    }
  }
  return TUNE_OK;
}

tune_status tune_domain_read_array(MlirAttribute array, tune_choice_kind kind,
                                   tune_domain *out_domain) {
  *out_domain = (tune_domain){.kind = kind};
  if (!mlirAttributeIsAArray(array))
    return refuse(array, "a domain has to be an array");
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

// Reads the parameters of #tune.chosen, whose number and base types IRDL has checked.
static tune_status read_chosen_parameters(const MlirAttribute *parameters, tune_chosen *chosen) {
  MlirStringRef kind = mlirStringAttrGetValue(parameters[0]);
  if (!find_kind(kind, &chosen->kind))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "no kind of choice is named \"%.*s\"; the kinds are tile, fuse, "
                            "vectorize, pack, order, unroll, parallel and alternative",
                            (int)kind.length, kind.data);
  const kind_rule *rule = &kind_rules[chosen->kind];
  if (mlirAttributeIsAString(parameters[1])) {
    if (!rule->takes_labels)
      return refuse(parameters[1], "the value has to be an i64");
    MlirStringRef label = mlirStringAttrGetValue(parameters[1]);
    TUNE_RETURN_IF_ERROR(check_label(label));
    chosen->label = copy_string(label);
    if (!chosen->label)
      return tune_status_make(TUNE_OUT_OF_MEMORY, "reading a chosen value");
  } else {
    if (!rule->takes_integers)
      return refuse(parameters[1], "the value has to be a string");
    if (!is_i64(parameters[1]))
      return refuse(parameters[1], "the value has to be an i64");
    chosen->value = mlirIntegerAttrGetValueInt(parameters[1]);
    if (chosen->value < rule->minimum)
      return tune_status_make(
          TUNE_INVALID_ARGUMENT, "the value %lld is below %lld, the least of #%s.%s",
          (long long)chosen->value, (long long)rule->minimum, TUNE_DIALECT_NAMESPACE, rule->name);
  }
  MlirStringRef provenance = mlirStringAttrGetValue(parameters[2]);
  static const char *const detailed[] = {"search:", "database:"};
  bool is_known = string_ref_equals(provenance, "user") || string_ref_equals(provenance, "default");
  for (size_t i = 0; i < sizeof detailed / sizeof *detailed; ++i)
    is_known = is_known || (provenance.length > strlen(detailed[i]) &&
                            !memcmp(provenance.data, detailed[i], strlen(detailed[i])));
  if (!is_known || memchr(provenance.data, '\0', provenance.length))
    return refuse(parameters[2], "the provenance has to be \"user\", \"default\", "
                                 "\"search:<strategy>\" or \"database:<where>\"");
  chosen->provenance = copy_string(provenance);
  if (!chosen->provenance)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading a chosen value");
  return TUNE_OK;
}

// Reads a plain value, as a user writes it.
static tune_status read_plain(MlirAttribute attribute, tune_chosen *chosen) {
  if (mlirAttributeIsAString(attribute)) {
    MlirStringRef label = mlirStringAttrGetValue(attribute);
    TUNE_RETURN_IF_ERROR(check_label(label));
    chosen->label = copy_string(label);
  } else {
    chosen->value = mlirIntegerAttrGetValueInt(attribute);
  }
  chosen->provenance = strdup("user");
  if (!chosen->provenance || (mlirAttributeIsAString(attribute) && !chosen->label))
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading a chosen value");
  return TUNE_OK;
}

tune_status tune_chosen_read(MlirAttribute attribute, tune_chosen *out_chosen) {
  *out_chosen = (tune_chosen){.kind = TUNE_CHOICE_PLAIN};
  if (!tune_chosen_is_attribute(attribute))
    return refuse(attribute, "a chosen value has to be #tune.chosen<...>, an i64 or a string");
  tune_status status;
  if (is_tune_attribute(attribute)) {
    MlirAttribute parameters[3];
    for (intptr_t i = 0; i < 3; ++i)
      parameters[i] = tune_extensible_attribute_parameter(attribute, i);
    status = read_chosen_parameters(parameters, out_chosen);
  } else {
    status = read_plain(attribute, out_chosen);
  }
  if (!tune_status_is_ok(status))
    tune_chosen_deinit(out_chosen);
  return status;
}

tune_status tune_domain_verify_parameters(const char *name, intptr_t parameter_count,
                                          const MlirAttribute *parameters) {
  tune_choice_kind kind;
  if (parameter_count == 1 && find_kind(mlirStringRefCreateFromCString(name), &kind)) {
    tune_domain domain;
    tune_status status = tune_domain_read_array(parameters[0], kind, &domain);
    tune_domain_deinit(&domain);
    return status;
  }
  if (parameter_count == 3 && !strcmp(name, chosen_name)) {
    tune_chosen chosen = {.kind = TUNE_CHOICE_PLAIN};
    tune_status status = read_chosen_parameters(parameters, &chosen);
    tune_chosen_deinit(&chosen);
    return status;
  }
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
    return tune_status_make(TUNE_OUT_OF_MEMORY, "writing a domain");
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
  return tune_status_make(TUNE_OUT_OF_MEMORY, "copying a domain");
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
  return tune_status_make(TUNE_OUT_OF_MEMORY, "copying a chosen value");
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
