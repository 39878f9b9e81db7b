//===- registry.c - The rules, most particular first ----------------------------===//

#include "transforms/rules/rule.h"

#include <string.h>

static const tune_rule *const RULES[] = {
    &tune_rule_attention,    &tune_rule_dot_contraction, &tune_rule_winograd_nchw,
    &tune_rule_conv_blocked, &tune_rule_depthwise,       &tune_rule_winograd,
    &tune_rule_contraction,  &tune_rule_im2col,          &tune_rule_reduction,
    &tune_rule_elementwise,  &tune_rule_gpu_tiles,       &tune_rule_gpu_contraction,
    &tune_rule_gpu_rows,     &tune_rule_gpu_elements,    &tune_rule_gpu_general,
    &tune_rule_general,
};

void tune_machine_init(tune_machine *machine) {
  *machine = (tune_machine){
      .vector_bits = 128,
      .vector_registers = 16,
      .l1_bytes = 32 << 10,
      .l2_bytes = 256 << 10,
      .l3_bytes = 4 << 20,
      .threads = 1,
      .gpu = tune_device_least(),
  };
}

static void read_bytes(const json_t *object, const char *key, int64_t *out) {
  const json_t *value = json_object_get(object, key);
  if (json_is_integer(value) && json_integer_value(value) > 0)
    *out = json_integer_value(value);
}

void tune_machine_read_fingerprint(tune_machine *machine, const json_t *fingerprint) {
  const char *target = json_string_value(json_object_get(fingerprint, "target"));
  machine->kind = target ? tune_target_kind_of(target) : TUNE_KIND_CPU;
  if (machine->kind != TUNE_KIND_CPU)
    tune_status_free(tune_device_read(fingerprint, &machine->gpu));
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
