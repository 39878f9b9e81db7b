//===- program_path.c - tune_process_find_program ------------------------------===//

#include "support/process.h"

#include "support/string_builder.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct lookup {
  tune_string_builder looked; // folders
  bool is_listed;             // as one, whatever folders it has
  int error;                  // the first that kept it from looking
} lookup;

// `*error` is set where that cannot be seen.
static bool is_program(const char *path, int *error) {
  struct stat info;
  errno = 0;
  if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0)
    return true;
  static const int SAYING_NO[] = {0, ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG};
  for (size_t i = 0; i < sizeof SAYING_NO / sizeof *SAYING_NO; ++i)
    if (errno == SAYING_NO[i])
      return false;
  *error = *error ? *error : errno;
  return false;
}

// Looks for `name` in `folder`, whose first `length` bytes count. `*out_path` stays NULL where it
// is not there; then the folder is one that was looked in.
static tune_status try_folder(const char *folder, size_t length, const char *suffix,
                              const char *name, lookup *l, char **out_path) {
  if (*out_path)
    return TUNE_OK;
  char *path = NULL;
  if (asprintf(&path, "%.*s%s/%s", (int)length, folder, suffix, name) < 0)
    return tune_status_out_of_memory("looking for %s", name);
  if (is_program(path, &l->error)) {
    *out_path = path;
    return TUNE_OK;
  }
  free(path);
  if (!l->is_listed)
    tune_string_builder_appendf(&l->looked, "%s%.*s%s", l->looked.length ? ", " : "", (int)length,
                                folder, suffix);
  return TUNE_OK;
}

static size_t parent_length(const char *path, size_t length) {
  while (length && path[length - 1] != '/')
    --length;
  return length ? length - 1 : 0;
}

// Around the object (program or library) at `object`: its folder, then bin and libexec of the two
// prefixes it may be installed under.
static tune_status try_around(const char *object, const char *name, lookup *l, char **out_path) {
  size_t folder = parent_length(object, strlen(object));
  TUNE_RETURN_IF_ERROR(try_folder(object, folder, "", name, l, out_path));
  size_t prefix = folder;
  for (int level = 0; level < 2 && prefix; ++level) {
    prefix = parent_length(object, prefix);
    TUNE_RETURN_IF_ERROR(try_folder(object, prefix, "/bin", name, l, out_path));
    TUNE_RETURN_IF_ERROR(try_folder(object, prefix, "/libexec/mlir-tune", name, l, out_path));
  }
  return TUNE_OK;
}

static tune_status try_search_path(const char *name, lookup *l, char **out_path) {
  const char *search = getenv("PATH");
  if (!search)
    return TUNE_OK;
  tune_string_builder_append(&l->looked, l->looked.length ? ", the PATH" : "the PATH");
  l->is_listed = true;
  tune_status status = TUNE_OK;
  while (tune_status_is_ok(status) && *search && !*out_path) {
    size_t length = strcspn(search, ":");
    if (length)
      status = try_folder(search, length, "", name, l, out_path);
    search += length;
    search += *search == ':';
  }
  return status;
}

// Around what `path` really is; nothing where it is nothing.
static tune_status try_around_link(const char *path, const char *name, lookup *l, char **out_path) {
  char *object = realpath(path, NULL);
  if (!object && (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EPERM))
    return TUNE_OK;
  if (!object)
    return tune_status_from_errno(errno, "looking for %s beside %s", name, path);
  tune_status status = try_around(object, name, l, out_path);
  free(object);
  return status;
}

// The file of the shared object that this code was linked into, borrowed, or NULL if that is the
// program.
static const char *own_object(void) {
  Dl_info info;
  struct link_map *map = NULL;
  // ISO C has no conversion from function to object pointers; POSIX has.
  union {
    tune_status (*function)(const char *, char **);
    void *address;
  } here = {.function = tune_process_find_program};
  if (!dladdr1(here.address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name)
    return NULL;
  return map->l_name;
}

static tune_status search_all(const char *name, lookup *l, char **out_path) {
  const char *object = own_object();
  if (object)
    TUNE_RETURN_IF_ERROR(try_around_link(object, name, l, out_path));
  TUNE_RETURN_IF_ERROR(try_around_link("/proc/self/exe", name, l, out_path));
  return try_search_path(name, l, out_path);
}

tune_status tune_process_find_program(const char *name, char **out_path) {
  *out_path = NULL;
  if (strchr(name, '/')) {
    int error = 0;
    if (!is_program(name, &error))
      return error ? tune_status_from_errno(error, "%s", name)
                   : tune_status_make(TUNE_UNAVAILABLE, "%s is not a program", name);
    *out_path = strdup(name);
    return *out_path ? TUNE_OK : tune_status_out_of_memory("looking for %s", name);
  }
  lookup l = {.error = 0};
  tune_string_builder_init(&l.looked);
  tune_status status = search_all(name, &l, out_path);
  if (tune_status_is_ok(status) && !*out_path && l.looked.failed)
    status = tune_status_out_of_memory("looking for %s", name);
  else if (tune_status_is_ok(status) && !*out_path && l.error)
    status = tune_status_from_errno(l.error, "looking for %s", name);
  else if (tune_status_is_ok(status) && !*out_path)
    status = tune_status_make(TUNE_UNAVAILABLE, "no program %s; looked in %s", name,
                              l.looked.text ? l.looked.text : "no folder");
  tune_string_builder_deinit(&l.looked);
  return status;
}
