#include "unittests/ptx/program.h"

#include <stdlib.h>
#include <string.h>

bool ptx_grow(void *array, size_t count, size_t size) {
  if (count & (count - 1))
    return true;
  void **pointer = array;
  void *bigger = realloc(*pointer, (count ? 2 * count : 1) * size);
  if (bigger)
    *pointer = bigger;
  return bigger != NULL;
}

ptx_function *ptx_module_find_function(ptx_module *module, const char *name, size_t length) {
  for (size_t i = 0; i < module->function_count; i++)
    if (strlen(module->functions[i]->name) == length &&
        !memcmp(module->functions[i]->name, name, length))
      return module->functions[i];
  return NULL;
}

void ptx_function_destroy(ptx_function *function) {
  if (!function)
    return;
  for (size_t i = 0; i < function->call_count; i++) {
    free(function->calls[i]->callee_name);
    free(function->calls[i]->arguments);
    free(function->calls[i]->results);
    free(function->calls[i]);
  }
  for (size_t i = 0; i < function->branches_count; i++) {
    free(function->branches[i]->targets);
    free(function->branches[i]);
  }
  for (size_t i = 0; i < function->kept_count; i++)
    free(function->kept[i]);
  free(function->kept);
  free(function->calls);
  free(function->branches);
  free(function->parameters);
  free(function->results);
  free(function->code);
  free(function->constants);
  free(function->name);
  free(function);
}

void ptx_module_destroy(ptx_module *module) {
  if (!module)
    return;
  for (size_t i = 0; i < module->function_count; i++)
    ptx_function_destroy(module->functions[i]);
  for (size_t i = 0; i < module->variable_count; i++) {
    if (module->variables[i].space == PTX_GLOBAL)
      free((void *)(uintptr_t)module->variables[i].address);
    free(module->variables[i].name);
  }
  free(module->functions);
  free(module->variables);
  ptx_memory_destroy(module->memory);
  free(module->text);
  free(module);
}

unsigned ptx_module_version(const ptx_module *module) { return module->version; }
unsigned ptx_module_architecture(const ptx_module *module) { return module->architecture; }

tune_status ptx_module_find_kernel(ptx_module *module, const char *name, ptx_kernel **out_kernel) {
  *out_kernel = ptx_module_find_function(module, name, strlen(name));
  if (*out_kernel && (*out_kernel)->is_kernel && (*out_kernel)->is_defined)
    return TUNE_OK;
  *out_kernel = NULL;
  return tune_status_make(TUNE_NOT_FOUND, "the module has no kernel %s", name);
}

tune_status ptx_module_find_variable(ptx_module *module, const char *name, void **out_address,
                                     size_t *out_bytes) {
  for (size_t i = 0; i < module->variable_count; i++)
    if (!strcmp(module->variables[i].name, name) && module->variables[i].space == PTX_GLOBAL) {
      *out_address = (void *)(uintptr_t)module->variables[i].address;
      *out_bytes = module->variables[i].bytes;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_NOT_FOUND, "the module has no variable %s", name);
}

size_t ptx_kernel_parameter_count(const ptx_kernel *kernel) { return kernel->parameter_count; }

size_t ptx_kernel_parameter_bytes(const ptx_kernel *kernel, size_t index) {
  return kernel->parameters[index].bytes;
}

size_t ptx_kernel_shared_bytes(const ptx_kernel *kernel) { return kernel->shared_end; }
size_t ptx_kernel_local_bytes(const ptx_kernel *kernel) { return kernel->local_bytes; }
unsigned ptx_kernel_group_limit(const ptx_kernel *kernel) { return kernel->group_limit; }

uint64_t ptx_module_executed(const ptx_module *module, const char *prefix) {
  uint64_t sum = 0;
  size_t length = strlen(prefix);
  for (size_t f = 0; f < module->function_count; f++)
    for (size_t i = 0; i < module->functions[f]->code_count; i++) {
      const ptx_instruction *instruction = &module->functions[f]->code[i];
      if (instruction->name_length >= length && !memcmp(instruction->name, prefix, length))
        sum += instruction->executed;
    }
  return sum;
}
