//===- vulkan_module.c - Requirements of a SPIR-V module ---------------------===//
//
// SPIR-V is a stream of words: a header of five, then instructions, whose first word has their
// length in the upper half and their opcode in the lower ("Physical Layout of a SPIR-V Module and
// Instruction" in the specification).
//
//===--------------------------------------------------------------------------===//

#include "targets/vulkan/vulkan_module.h"

#include <stdlib.h>
#include <string.h>

#define SPIRV_MAGIC 0x07230203u
#define HEADER_WORDS 5

enum { OP_ENTRY_POINT = 15, OP_EXECUTION_MODE = 16, OP_CAPABILITY = 17 };
enum { MODEL_GL_COMPUTE = 5, MODE_LOCAL_SIZE = 17 };

// Capabilities of the specification that need a feature.
static const struct {
  uint32_t capability;
  vulkan_feature feature;
} needs[] = {
    {9, VULKAN_FLOAT16},
    {10, VULKAN_FLOAT64},
    {11, VULKAN_INT64},
    {22, VULKAN_INT16},
    {39, VULKAN_INT8},
    {4433, VULKAN_STORAGE16},             // StorageBuffer16BitAccess
    {4448, VULKAN_STORAGE8},              // StorageBuffer8BitAccess
    {5345, VULKAN_MEMORY_MODEL},          // VulkanMemoryModel
    {5347, VULKAN_BUFFER_DEVICE_ADDRESS}, // PhysicalStorageBufferAddresses
    {6022, VULKAN_COOPERATIVE_MATRIX},
    {6016, VULKAN_INTEGER_DOT_PRODUCT}, // DotProductInputAll
    {6017, VULKAN_INTEGER_DOT_PRODUCT}, // DotProductInput4x8Bit
    {6018, VULKAN_INTEGER_DOT_PRODUCT}, // DotProductInput4x8BitPacked
    {6019, VULKAN_INTEGER_DOT_PRODUCT}, // DotProduct
};

typedef struct instruction {
  uint32_t opcode;
  const uint32_t *operands;
  size_t operand_count;
} instruction;

// The instruction at word `*at`, which moves on; false at the end. A length that cannot be ends it
// too, with `*at` before the end.
static bool next(const tune_program_module *module, size_t *at, instruction *out) {
  const uint32_t *words = module->code;
  size_t count = module->size / 4;
  if (*at >= count)
    return false;
  size_t length = words[*at] >> 16;
  if (length == 0 || length > count - *at)
    return false;
  *out = (instruction){words[*at] & 0xffff, &words[*at + 1], length - 1};
  *at += length;
  return true;
}

static tune_status check_capability(const vulkan_device *device, uint32_t capability) {
  for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i)
    if (needs[i].capability == capability && !vulkan_device_has(device, needs[i].feature))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "it needs %s, which %s does not have",
                              vulkan_feature_names[needs[i].feature],
                              device->properties.deviceName);
  return TUNE_OK;
}

tune_status vulkan_module_check(const vulkan_device *device, const tune_program_module *module) {
  const uint32_t *words = module->code;
  if (module->size % 4 != 0 || module->size < 4 * HEADER_WORDS || words[0] != SPIRV_MAGIC)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it is no SPIR-V");
  size_t at = HEADER_WORDS;
  instruction i;
  while (next(module, &at, &i))
    if (i.opcode == OP_CAPABILITY && i.operand_count > 0)
      TUNE_RETURN_IF_ERROR(check_capability(device, i.operands[0]));
  return at == module->size / 4
             ? TUNE_OK
             : tune_status_make(TUNE_INVALID_ARGUMENT,
                                "it is no SPIR-V: word %zu is no instruction", at);
}

// Whether the text in `count` words is `name`.
static bool is_name(const uint32_t *words, size_t count, const char *name) {
  size_t length = strlen(name);
  return length < count * 4 && memcmp(words, name, length + 1) == 0;
}

tune_status vulkan_module_check_launch(const tune_program_module *module,
                                       const tune_program_step *launch) {
  size_t at = HEADER_WORDS;
  uint32_t function = 0; // no id is 0
  instruction i;
  while (next(module, &at, &i)) {
    if (i.opcode == OP_ENTRY_POINT && i.operand_count > 2 && i.operands[0] == MODEL_GL_COMPUTE &&
        is_name(&i.operands[2], i.operand_count - 2, launch->entry))
      function = i.operands[1];
    // Entry points come before the modes of execution.
    bool is_size = i.opcode == OP_EXECUTION_MODE && i.operand_count == 5 &&
                   i.operands[0] == function && i.operands[1] == MODE_LOCAL_SIZE;
    if (is_size && memcmp(&i.operands[2], launch->group_size, sizeof launch->group_size) != 0)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "%s is made for groups of %u x %u x %u, not %u x %u x %u",
                              launch->entry, i.operands[2], i.operands[3], i.operands[4],
                              launch->group_size[0], launch->group_size[1], launch->group_size[2]);
  }
  return function ? TUNE_OK
                  : tune_status_make(TUNE_NOT_FOUND, "the module has no compute kernel %s",
                                     launch->entry);
}
