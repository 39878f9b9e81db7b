//===- link_symbols.c -----------------------------------------------------------===//

#include "transforms/lower/cpu/backend/link_symbols.h"

#include "support/file.h"

#include <dlfcn.h>
#include <elf.h>
#include <gnu/lib-names.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Versions of symbols from here on are those of libraries that the linker found them in.
#define FIRST_VERSION (VER_NDX_GLOBAL + 1)
#define VERSION_BITS 0x7fff

typedef struct image {
  const char *bytes;
  size_t size;
} image;

static bool holds(const image *file, uint64_t offset, uint64_t size) {
  return offset <= file->size && size <= file->size - offset && offset % sizeof(uint64_t) == 0;
}

static bool is_shared_object(const image *file) {
  const Elf64_Ehdr *head = (const void *)file->bytes;
  return file->size >= sizeof *head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
         head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_type == ET_DYN &&
         head->e_shentsize == sizeof(Elf64_Shdr) &&
         holds(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
}

// The section of the given type, or NULL.
static const Elf64_Shdr *find_section(const image *file, uint32_t type) {
  const Elf64_Ehdr *head = (const void *)file->bytes;
  const Elf64_Shdr *sections = (const void *)(file->bytes + head->e_shoff);
  for (size_t i = 0; i < head->e_shnum; ++i)
    if (sections[i].sh_type == type && sections[i].sh_offset <= file->size &&
        sections[i].sh_size <= file->size - sections[i].sh_offset)
      return &sections[i];
  return NULL;
}

// The name that is at `offset` of the names of `symbols`; "" where it is not in the file.
static const char *name_at(const image *file, const Elf64_Shdr *symbols, uint32_t offset) {
  const Elf64_Ehdr *head = (const void *)file->bytes;
  const Elf64_Shdr *sections = (const void *)(file->bytes + head->e_shoff);
  if (symbols->sh_link >= head->e_shnum)
    return "";
  uint64_t start = sections[symbols->sh_link].sh_offset, size = sections[symbols->sh_link].sh_size;
  if (start > file->size || size > file->size - start || offset >= size ||
      !memchr(file->bytes + start + offset, '\0', size - offset))
    return "";
  return file->bytes + start + offset;
}

static bool has_version(const image *file, const Elf64_Shdr *versions, size_t index) {
  uint16_t version = 0;
  if (versions && (index + 1) * sizeof version <= versions->sh_size)
    memcpy(&version, file->bytes + versions->sh_offset + index * sizeof version, sizeof version);
  return (version & VERSION_BITS) >= FIRST_VERSION;
}

static tune_status check(const image *file, void *libc, const char *path) {
  if (!is_shared_object(file))
    return tune_status_make(TUNE_DATA_LOSS, "the linker wrote no shared object to %s", path);
  const Elf64_Shdr *symbols = find_section(file, SHT_DYNSYM);
  const Elf64_Shdr *versions = find_section(file, SHT_GNU_versym);
  for (size_t i = 1; symbols && i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
    Elf64_Sym symbol;
    memcpy(&symbol, file->bytes + symbols->sh_offset + i * sizeof symbol, sizeof symbol);
    const char *name = name_at(file, symbols, symbol.st_name);
    if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_WEAK || !*name ||
        has_version(file, versions, i) || dlsym(libc, name))
      continue;
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "nothing defines the symbol %s; a function that is declared has to "
                            "have a body in the module",
                            name);
  }
  return TUNE_OK;
}

tune_status tune_link_check_symbols(const char *path) {
  void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
  if (!libc)
    return TUNE_OK; // another libc, which we know nothing about
  char *bytes = NULL;
  size_t size = 0;
  tune_status status = tune_file_read(path, &bytes, &size);
  image file = {bytes, size};
  if (tune_status_is_ok(status))
    status = check(&file, libc, path);
  free(bytes);
  dlclose(libc);
  return status;
}
