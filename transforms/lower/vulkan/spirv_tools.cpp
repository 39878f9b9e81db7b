//===- spirv_tools.cpp - Khronos' tools for SPIR-V ---------------------------===//

#include "transforms/lower/vulkan/spirv_tools.h"

#include <spirv-tools/libspirv.h>
#include <spirv-tools/optimizer.hpp>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {
struct Word {
  const char *text;
  tune_spirv_opt opt;
};
const Word WORDS[] = {{"none", TUNE_SPIRV_OPT_NONE},
                      {"performance", TUNE_SPIRV_OPT_PERFORMANCE},
                      {"size", TUNE_SPIRV_OPT_SIZE},
                      {"unroll", TUNE_SPIRV_OPT_UNROLL}};
} // namespace

bool tune_spirv_opt_parse(const char *word, size_t length, tune_spirv_opt *out_opt) {
  for (const Word &one : WORDS)
    if (strlen(one.text) == length && memcmp(one.text, word, length) == 0) {
      *out_opt = one.opt;
      return true;
    }
  return false;
}

static spv_target_env environment(const tune_device *device) {
  if (device->api_major > 1 || device->api_minor >= 3)
    return SPV_ENV_VULKAN_1_3;
  return device->api_minor >= 2 ? SPV_ENV_VULKAN_1_2 : SPV_ENV_VULKAN_1_1;
}

tune_status tune_spirv_validate(const tune_spirv_code *code, const tune_device *device,
                                const char *name) {
  spv_context context = spvContextCreate(environment(device));
  spv_diagnostic diagnostic = nullptr;
  tune_status status = TUNE_OK;
  if (spvValidateBinary(context, code->words, code->word_count, &diagnostic) != SPV_SUCCESS)
    status = tune_status_make(TUNE_INTERNAL, "the SPIR-V of %s is not valid: %s", name,
                              diagnostic ? diagnostic->error : "no reason given");
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return status;
}

// The least module with the capability; what does not know it cannot name it.
bool tune_spirv_tools_know_matrices(void) {
  static const char TEXT[] = "OpCapability CooperativeMatrixKHR";
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_binary binary = nullptr;
  bool is_known = spvTextToBinary(context, TEXT, sizeof TEXT - 1, &binary, nullptr) == SPV_SUCCESS;
  spvBinaryDestroy(binary);
  spvContextDestroy(context);
  return is_known;
}

static void registerPasses(spvtools::Optimizer &optimizer, tune_spirv_opt opt) {
  if (opt == TUNE_SPIRV_OPT_SIZE) {
    optimizer.RegisterSizePasses();
    return;
  }
  optimizer.RegisterPerformancePasses();
  if (opt == TUNE_SPIRV_OPT_UNROLL) {
    optimizer.RegisterPassFromFlag("--loop-unroll");
    optimizer.RegisterPerformancePasses();
  }
}

tune_status tune_spirv_optimize(tune_spirv_code *code, const tune_device *device,
                                tune_spirv_opt opt) {
  if (opt == TUNE_SPIRV_OPT_NONE)
    return TUNE_OK;
  spvtools::Optimizer optimizer(environment(device));
  std::string messages;
  optimizer.SetMessageConsumer(
      [&](spv_message_level_t level, const char *, const spv_position_t &, const char *message) {
        if (level <= SPV_MSG_ERROR)
          messages += message;
      });
  registerPasses(optimizer, opt);
  spvtools::OptimizerOptions options;
  options.set_run_validator(false); // which is done before and after
  std::vector<uint32_t> words;
  if (!optimizer.Run(code->words, code->word_count, &words, options))
    return tune_status_make(TUNE_INTERNAL, "the optimizer of SPIRV-Tools: %s",
                            messages.empty() ? "no reason given" : messages.c_str());
  uint32_t *copy = static_cast<uint32_t *>(malloc(words.size() * sizeof *copy));
  if (!copy)
    return tune_status_out_of_memory("optimizing SPIR-V");
  memcpy(copy, words.data(), words.size() * sizeof *copy);
  free(code->words);
  code->words = copy;
  code->word_count = words.size();
  return TUNE_OK;
}

tune_status tune_spirv_disassemble(const tune_spirv_code *code, const tune_device *device,
                                   char **out_text) {
  *out_text = nullptr;
  spv_context context = spvContextCreate(environment(device));
  spv_text text = nullptr;
  spv_diagnostic diagnostic = nullptr;
  tune_status status = TUNE_OK;
  if (spvBinaryToText(context, code->words, code->word_count,
                      SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT,
                      &text, &diagnostic) != SPV_SUCCESS)
    status = tune_status_make(TUNE_INTERNAL, "disassembling SPIR-V: %s",
                              diagnostic ? diagnostic->error : "no reason given");
  else if (!(*out_text = strndup(text->str, text->length)))
    status = tune_status_out_of_memory("disassembling SPIR-V");
  spvTextDestroy(text);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return status;
}
