//===- registry.c - The rules, most particular first ----------------------------===//

#include "transforms/rules/rule.h"

#include <string.h>

static const tune_rule *const RULES[] = {
    &tune_rule_attention,    &tune_rule_dot_contraction, &tune_rule_winograd_nchw,
    &tune_rule_conv_blocked, &tune_rule_depthwise,       &tune_rule_winograd,
    &tune_rule_contraction,  &tune_rule_im2col,          &tune_rule_reduction,
    &tune_rule_elementwise,  &tune_rule_gpu_contraction, &tune_rule_gpu_rows,
    &tune_rule_gpu_elements, &tune_rule_gpu_general,     &tune_rule_general,
};

void tune_machine_init(tune_machine *machine) {
  *machine = (tune_machine){
      .vector_bits = 128,
      .vector_registers = 16,
      .l1_bytes = 32 << 10,
      .l2_bytes = 256 << 10,
      .l3_bytes = 4 << 20,
      .threads = 1,
      // "Required Limits" of the specification.
      .gpu = {.group_invocations = 128,
              .group_size = {128, 128, 64},
              .group_count = {65535, 65535, 65535},
              .shared_bytes = 16384,
              .storage_buffer_bytes = 1 << 27,
              .texel_buffer_elements = 65536},
  };
}

static void read_bytes(const json_t *object, const char *key, int64_t *out) {
  const json_t *value = json_object_get(object, key);
  if (json_is_integer(value) && json_integer_value(value) > 0)
    *out = json_integer_value(value);
}

static void read_extents(const json_t *object, const char *key, int64_t out[3]) {
  const json_t *list = json_object_get(object, key);
  for (size_t i = 0; i < 3 && i < json_array_size(list); ++i)
    if (json_integer_value(json_array_get(list, i)) > 0)
      out[i] = json_integer_value(json_array_get(list, i));
}

// Whether the list of words `key` has `word`.
static bool has_word(const json_t *object, const char *key, const char *word) {
  const json_t *list = json_object_get(object, key);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *text = json_string_value(json_array_get(list, i));
    if (text && strcmp(text, word) == 0)
      return true;
  }
  return false;
}

static void read_gpu(tune_machine_gpu *gpu, const json_t *fingerprint) {
  read_bytes(fingerprint, "subgroup_size", &gpu->subgroup_size);
  read_bytes(fingerprint, "group_invocations", &gpu->group_invocations);
  read_extents(fingerprint, "group_size", gpu->group_size);
  read_extents(fingerprint, "group_count", gpu->group_count);
  read_bytes(fingerprint, "shared_bytes", &gpu->shared_bytes);
  read_bytes(fingerprint, "storage_buffer_bytes", &gpu->storage_buffer_bytes);
  read_bytes(fingerprint, "texel_buffer_elements", &gpu->texel_buffer_elements);
  read_bytes(fingerprint, "loop_limit", &gpu->loop_limit);
  const char *type = json_string_value(json_object_get(fingerprint, "device_type"));
  gpu->is_software = type && strcmp(type, "cpu") == 0;
  const struct {
    const char *list, *word;
    bool *has;
  } WORDS[] = {{"features", "float16", &gpu->has_float16},
               {"features", "int8", &gpu->has_int8},
               {"features", "int16", &gpu->has_int16},
               {"features", "int64", &gpu->has_int64},
               {"features", "float64", &gpu->has_float64},
               {"features", "storage16", &gpu->has_storage16},
               {"features", "storage8", &gpu->has_storage8},
               {"features", "cooperative_matrix", &gpu->has_cooperative_matrix},
               {"subgroup_operations", "shuffle", &gpu->has_subgroup_shuffle},
               {"subgroup_operations", "arithmetic", &gpu->has_subgroup_arithmetic}};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; ++i)
    *WORDS[i].has = has_word(fingerprint, WORDS[i].list, WORDS[i].word);
}

void tune_machine_read_fingerprint(tune_machine *machine, const json_t *fingerprint) {
  const char *target = json_string_value(json_object_get(fingerprint, "target"));
  machine->kind = target ? tune_target_kind_of(target) : TUNE_KIND_CPU;
  if (machine->kind != TUNE_KIND_CPU)
    read_gpu(&machine->gpu, fingerprint);
  int64_t bits = machine->vector_bits, registers = machine->vector_registers;
  read_bytes(fingerprint, "vector_bits", &bits);
  read_bytes(fingerprint, "vector_registers", &registers);
  machine->vector_bits = (unsigned)bits;
  machine->vector_registers = (unsigned)registers;
  machine->has_bf16_dot = json_is_true(json_object_get(fingerprint, "has_bf16_dot"));
  machine->has_int8_dot = json_is_true(json_object_get(fingerprint, "has_int8_dot"));
  const json_t *caches = json_object_get(fingerprint, "caches");
  for (size_t i = 0; i < json_array_size(caches); ++i) {
    const json_t *cache = json_array_get(caches, i);
    int64_t *const levels[] = {&machine->l1_bytes, &machine->l2_bytes, &machine->l3_bytes};
    json_int_t level = json_integer_value(json_object_get(cache, "level"));
    if (level >= 1 && level <= 3)
      read_bytes(cache, "bytes", levels[level - 1]);
  }
}

const tune_rule *tune_rule_find(const tune_structure *structure, const tune_machine *machine) {
  // Where there is nothing to do, tiles of it have sizes that upstream divides by; vectors of i1
  // are bits, which tensors of it in memory are not.
  bool is_for_all = structure->is_empty || structure->has_bits;
  for (size_t i = 0; !is_for_all && i < sizeof RULES / sizeof *RULES; i++)
    if (RULES[i]->kinds & 1u << machine->kind && RULES[i]->applies(structure, machine))
      return RULES[i];
  return machine->kind == TUNE_KIND_CPU ? &tune_rule_general : &tune_rule_gpu_general;
}

tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, char **out_schedule,
                                     const tune_rule **out_rule) {
  *out_schedule = NULL;
  tune_structure structure;
  TUNE_RETURN_IF_ERROR(tune_structure_read_payload(context, payload, &structure));
  const tune_rule *rule = tune_rule_find(&structure, machine);
  tune_writer writer;
  tune_writer_init(&writer);
  rule->write(&structure, machine, &writer);
  tune_status status = tune_writer_finish(&writer, out_schedule);
  tune_writer_deinit(&writer);
  tune_structure_deinit(&structure);
  if (out_rule)
    *out_rule = rule;
  return tune_status_annotate(status, "making the space of a task by the rule '%s'", rule->name);
}
