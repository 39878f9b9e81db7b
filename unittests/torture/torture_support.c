//===- torture_support.c - Each call of support/ fails once --------------------------===//
// Tier: check-all

#include "failing_calls.h"
#include "torture.h"

#include "support/digest.h"
#include "support/file.h"
#include "support/message.h"
#include "support/process.h"
#include "support/program_head.h"
#include "support/progress.h"
#include "support/sandbox.h"
#include "support/scratch.h"
#include "support/string_builder.h"
#include "support/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Without faults.
static void write_text(const char *path, const char *text) {
  tune_status status = tune_file_write(path, text, strlen(text));
  if (!tune_status_is_ok(status))
    torture_say("%s", tune_status_get_message(status));
  tune_status_free(status);
}

static void say_file(const char *folder, const char *name) {
  char *text = NULL;
  torture_path path = torture_in(folder, name);
  struct stat info = {0};
  tune_status status = tune_file_read(path.text, &text, NULL);
  if (stat(path.text, &info) == 0)
    torture_say("%s (%o): %s\n", name, info.st_mode & 0777, text ? text : "not readable");
  tune_status_free(status);
  free(text);
}

//===- Texts -------------------------------------------------------------------------===//

static tune_status build_texts(const char *folder) {
  (void)folder;
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  for (int i = 0; i < 40; ++i)
    tune_string_builder_appendf(&builder, "%d and ", i);
  char *text;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&builder, &text));
  torture_say("%s", text);
  tune_digest_stream *stream;
  tune_status status = tune_digest_stream_create(&stream);
  if (tune_status_is_ok(status)) {
    tune_digest_stream_add_text(stream, text);
    torture_say("%s", tune_digest_stream_get(stream).text);
    tune_digest_stream_destroy(stream);
  }
  free(text);
  return status;
}

static tune_status take_head(const char *folder) {
  (void)folder;
  tune_string_builder program;
  tune_string_builder_init(&program);
  tune_program_head_append(&program, "{\"version\": 1, \"modules\": [{\"bytes\": 4}]}");
  tune_string_builder_append(&program, "code");
  char *text;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&program, &text));
  const char *rest = text;
  size_t size = strlen(text + 12) + 12; // a length of less than 256 has NULs in it
  json_t *object;
  tune_status status = tune_program_head_take(&rest, &size, &object);
  if (tune_status_is_ok(status))
    torture_say("%zu modules, %s", json_array_size(json_object_get(object, "modules")), rest);
  json_decref(object);
  free(text);
  return status;
}

static tune_status print_table(const char *folder) {
  (void)folder;
  const tune_table_column columns[] = {{.title = "NAME", .may_shrink = true},
                                       {.title = "N", .is_number = true}};
  tune_table *table;
  TUNE_RETURN_IF_ERROR(tune_table_create(columns, 2, &table));
  for (int i = 0; i < 20; ++i)
    tune_table_add_row(table, (const char *const[]){"größer als ein Fenster \xe2\x89\xa0", "12"});
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  tune_status status = stream ? tune_table_print(table, 20, stream)
                              : tune_status_make(TUNE_OUT_OF_MEMORY, "opening a stream");
  bool failed = stream && (fflush(stream) != 0 || ferror(stream));
  int error = errno;
  if (stream)
    fclose(stream);
  if (tune_status_is_ok(status) && failed)
    status = tune_status_from_errno(error, "printing");
  if (tune_status_is_ok(status))
    torture_say("%s", text);
  free(text);
  tune_table_destroy(table);
  return status;
}

//===- Progress ----------------------------------------------------------------------===//

static tune_status show_in(FILE *stream, tune_progress_style style) {
  tune_progress_options options;
  tune_progress_options_init(&options);
  options.style = style;
  options.live_seconds = options.plain_seconds = 0;
  options.prefix = "test: ";
  options.width = 60;
  tune_progress *progress;
  TUNE_RETURN_IF_ERROR(tune_progress_create(stream, &options, &progress));
  tune_progress_state state = {.name = "größer matmul 512x512x512 f32",
                               .number = 1,
                               .task_count = 2,
                               .trials = 1,
                               .trial_limit = 64,
                               .best = 0.25};
  tune_progress_update(progress, &state);
  state.trials = 2;
  tune_progress_update(progress, &state);
  tune_progress_finish_task(progress, &state);
  tune_progress_destroy(progress);
  return TUNE_OK;
}

// A line that cannot be shown may be missing; what is shown is a line as it should be.
static void say_odd_lines(const char *text) {
  static const char *const LINES[] = {
      "test: [1/2] größer matmul 512x512x512 f32, 1/64, best 250.0 ms\n",
      "test: [1/2] größer matmul 512x512x512 f32, 2/64, best 250.0 ms\n",
      "\r[1/2] größer matmul 512x512x512 f32  1/64  best 250.0 ms\x1b[K",
      "\r[1/2] größer matmul 512x512x512 f32  2/64  best 250.0 ms\x1b[K",
      "\n",
      "\r\x1b[K",
  };
  while (*text) {
    size_t length = 0;
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES && !length; ++i)
      if (strncmp(text, LINES[i], strlen(LINES[i])) == 0)
        length = strlen(LINES[i]);
    if (length == 0) {
      torture_say("odd: %s\n", text);
      return;
    }
    text += length;
  }
}

static tune_status show_progress(const char *folder) {
  (void)folder;
  static char text[4096]; // of the process, so that the stream needs no more memory
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text, "w");
  if (!stream)
    return tune_status_from_errno(errno, "opening a stream");
  tune_status status = show_in(stream, TUNE_PROGRESS_PLAIN);
  if (tune_status_is_ok(status))
    status = show_in(stream, TUNE_PROGRESS_LIVE);
  fclose(stream);
  say_odd_lines(text);
  return status;
}

//===- Messages ----------------------------------------------------------------------===//

static tune_status exchange_statuses(int in, int out) {
  tune_status sent = tune_status_make(TUNE_NOT_FOUND, "no such \xff thing");
  if (tune_status_get_code(sent) != TUNE_NOT_FOUND)
    return sent;
  json_t *message = NULL;
  tune_status status = tune_message_from_status(sent, &message);
  tune_status_free(sent);
  if (tune_status_is_ok(status))
    status = tune_message_write(out, message);
  json_decref(message);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(tune_message_read(in, &message));
  tune_status received = tune_message_get_status(message);
  json_decref(message);
  if (tune_status_get_code(received) != TUNE_NOT_FOUND)
    return received;
  torture_say("%s\n", tune_status_get_message(received));
  tune_status_free(received);
  return TUNE_OK;
}

static tune_status read_as_it_comes(int in) {
  tune_message_reader reader;
  tune_message_reader_init(&reader);
  tune_status status = TUNE_OK;
  for (int popped = 0; popped < 3 && tune_status_is_ok(status);) {
    json_t *message = NULL;
    status = tune_message_reader_fill(&reader, in);
    do {
      json_decref(message);
      message = NULL;
      if (tune_status_is_ok(status))
        status = tune_message_reader_pop(&reader, &message);
      if (message)
        torture_say("%s ", json_string_value(json_object_get(message, "text")));
      popped += message != NULL;
    } while (message);
  }
  tune_message_reader_deinit(&reader);
  return status;
}

static tune_status converse(int in, int out) {
  char *peer;
  TUNE_RETURN_IF_ERROR(tune_message_handshake(in, out, "torture", &peer));
  torture_say("%s\n", peer);
  free(peer);
  TUNE_RETURN_IF_ERROR(exchange_statuses(in, out));
  for (int i = 0; i < 3; ++i) {
    json_t *message = json_pack("{s:s, s:i, s:[f]}", "text", "a text that is not empty", "number",
                                i, "list", 0.5);
    tune_status status = message ? tune_message_write(out, message)
                                 : tune_status_make(TUNE_OUT_OF_MEMORY, "making a message");
    json_decref(message);
    TUNE_RETURN_IF_ERROR(status);
  }
  return read_as_it_comes(in);
}

// With itself: what is written to the pipe is read from it.
static tune_status exchange_messages(const char *folder) {
  (void)folder;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return tune_status_from_errno(errno, "making a pipe");
  tune_status status = converse(ends[0], ends[1]);
  close(ends[0]);
  close(ends[1]);
  return status;
}

//===- Files -------------------------------------------------------------------------===//

static void prepare_removal(const char *folder) {
  tune_status_free(tune_file_make_folders(torture_in(folder, "a/b/c").text, 0700));
  write_text(torture_in(folder, "a/b/d").text, "d");
}

static tune_status remove_files(const char *folder) {
  return tune_file_remove_tree(torture_in(folder, "a").text);
}

static void prepare_files(const char *folder) {
  write_text(torture_in(folder, "old").text, "what was there");
  write_text(torture_in(folder, "target").text, "behind a link");
  chmod(torture_in(folder, "old").text, 0640);
}

static tune_status use_files(const char *folder) {
  char *bytes;
  size_t size;
  static char big[100000];
  memset(big, 'x', sizeof big - 1);
  TUNE_RETURN_IF_ERROR(tune_file_read(torture_in(folder, "old").text, &bytes, &size));
  torture_say("%s\n", bytes);
  free(bytes);
  TUNE_RETURN_IF_ERROR(tune_file_write(torture_in(folder, "new").text, big, sizeof big));
  TUNE_RETURN_IF_ERROR(tune_file_read(torture_in(folder, "new").text, &bytes, &size));
  torture_say("%zu\n", size);
  free(bytes);
  TUNE_RETURN_IF_ERROR(tune_file_make_folders(torture_in(folder, "a/b/c").text, 0700));
  torture_say("%d", tune_file_is_same(torture_in(folder, "new").text, folder));
  return tune_file_write(torture_in(folder, "old").text, "what is new", 11);
}

static tune_status use_files_that_have_names(const char *folder) {
  failing_calls_forbid_nameless(true);
  tune_status status = use_files(folder);
  failing_calls_forbid_nameless(false);
  return status;
}

static void look_at_files(const char *folder) { say_file(folder, "old"); }

// Links to a file, and to one that is made through it.
static tune_status write_through_links(const char *folder) {
  torture_path link = torture_in(folder, "tmp/link"), target = torture_in(folder, "new");
  if (symlink(target.text, link.text) != 0)
    return tune_status_from_errno(errno, "making a link");
  TUNE_RETURN_IF_ERROR(tune_file_write(link.text, "made through a link", 19));
  torture_path other = torture_in(folder, "tmp/other");
  if (symlink(torture_in(folder, "target").text, other.text) != 0)
    return tune_status_from_errno(errno, "making a link");
  return tune_file_write(other.text, "behind a link, and changed", 26);
}

static void look_through_links(const char *folder) {
  struct stat info = {0};
  say_file(folder, "target");
  if (lstat(torture_in(folder, "tmp/other").text, &info) == 0 && !S_ISLNK(info.st_mode))
    torture_say("a link became a file");
}

//===- Scratch folders ---------------------------------------------------------------===//

static void prepare_scratch(const char *folder) {
  mkdir(torture_in(folder, "tmp/mlir-tune-scratch-aaaaaa").text, 0700);
  write_text(torture_in(folder, "tmp/mlir-tune-scratch-aaaaaa/left").text,
             "by one that was killed");
}

static tune_status use_scratch(const char *folder) {
  (void)folder;
  tune_scratch *scratch;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&scratch));
  torture_path path = torture_in(tune_scratch_get_path(scratch), "file");
  tune_status status = tune_file_write(path.text, "text", 4);
  tune_scratch_destroy(scratch);
  return status;
}

//===- Processes ---------------------------------------------------------------------===//

static tune_status wait_for(tune_process *process, size_t limit) {
  tune_process_exit end;
  TUNE_RETURN_IF_ERROR(tune_process_wait(process, INFINITY, &end));
  char *text, how[64];
  TUNE_RETURN_IF_ERROR(tune_process_get_captured(process, limit, &text));
  torture_say("%s: %s\n", tune_process_exit_describe(end, how), text);
  free(text);
  return TUNE_OK;
}

static tune_status capture(const char *const *arguments, const char *directory) {
  tune_process_options options = {.arguments = arguments,
                                  .environment = (const char *const[]){"TORTURE=yes", NULL},
                                  .directory = directory,
                                  .in = TUNE_PROCESS_DISCARD,
                                  .out = TUNE_PROCESS_CAPTURE,
                                  .error = TUNE_PROCESS_CAPTURE};
  tune_process *process;
  TUNE_RETURN_IF_ERROR(tune_process_start(&options, &process));
  tune_status status = wait_for(process, 1000);
  tune_process_destroy(process);
  return status;
}

static tune_status capture_programs(const char *folder) {
  TUNE_RETURN_IF_ERROR(
      capture((const char *const[]){PROCESS_CHILD, "environment", "TORTURE", NULL}, NULL));
  return capture((const char *const[]){PROCESS_CHILD, "both", NULL}, folder);
}

static tune_status run_programs(const char *folder) {
  (void)folder;
  const char *arguments[] = {PROCESS_CHILD, "exit", "0", NULL};
  tune_process_options options = {.arguments = arguments};
  TUNE_RETURN_IF_ERROR(tune_process_run(&options, INFINITY));
  const char *failing[] = {PROCESS_CHILD, "say", "what is wrong", NULL};
  options.arguments = failing;
  tune_status status = tune_process_run(&options, INFINITY);
  if (!strstr(tune_status_get_message(status), "what is wrong"))
    return status;
  torture_say("%s\n", tune_status_get_message(status));
  tune_status_free(status);
  return TUNE_OK;
}

// Its input is ours; it is killed as it waits for more.
static tune_status talk_to_program(const char *folder) {
  (void)folder;
  const char *arguments[] = {"/bin/cat", NULL};
  tune_process_options options = {
      .arguments = arguments, .in = TUNE_PROCESS_PIPE, .out = TUNE_PROCESS_PIPE};
  tune_process *process;
  TUNE_RETURN_IF_ERROR(tune_process_start(&options, &process));
  json_t *message = json_pack("{s:s}", "a", "b"), *echo = NULL;
  tune_status status = message ? tune_message_write(tune_process_get_stdin(process), message)
                               : tune_status_make(TUNE_OUT_OF_MEMORY, "making a message");
  if (tune_status_is_ok(status))
    status = tune_message_read(tune_process_get_stdout(process), &echo);
  if (tune_status_is_ok(status))
    torture_say("%s", json_string_value(json_object_get(echo, "a")));
  json_decref(message);
  json_decref(echo);
  tune_process_destroy(process);
  return status;
}

static tune_status find_programs(const char *folder) {
  (void)folder;
  char *path;
  TUNE_RETURN_IF_ERROR(tune_process_find_program("cat", &path));
  torture_say("%s\n", strrchr(path, '/'));
  free(path);
  tune_status status = tune_process_find_program("no-such-program-anywhere", &path);
  if (tune_status_get_code(status) != TUNE_UNAVAILABLE)
    return status;
  torture_say("%s\n", tune_status_get_message(status));
  tune_status_free(status);
  return TUNE_OK;
}

//===- Sandboxes ---------------------------------------------------------------------===//

#define ENTERED 64 // and what is allowed, as bits

// Whether a sandbox holds: no kernel that lacks one of its halves allows more after a fault.
static int what_is_allowed(const char *folder, tune_sandbox_kind kind) {
  torture_path outside = torture_in(folder, "../outside");
  bool file_made = syscall(SYS_openat, AT_FDCWD, outside.text, O_WRONLY | O_CREAT, 0600) >= 0;
  // Beside a candidate a socket would end the process.
  bool socket_made = kind != TUNE_SANDBOX_RUN && syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0) >= 0;
  return ENTERED + file_made + 2 * socket_made;
}

// The child's status as its exit code.
static tune_status enter_in_child(const char *folder, tune_sandbox_kind kind) {
  pid_t child = fork();
  if (child < 0)
    return tune_status_from_errno(errno, "forking");
  if (child == 0) {
    const tune_sandbox_options options = {
        .kind = kind, .writable = &folder, .writable_count = kind != TUNE_SANDBOX_RUN};
    tune_status status = tune_sandbox_enter(&options);
    _exit(tune_status_is_ok(status) ? what_is_allowed(folder, kind)
                                    : (int)tune_status_get_code(status));
  }
  int end;
  while (waitpid(child, &end, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(end))
    return tune_status_make(TUNE_INTERNAL, "the child was killed by %d", WTERMSIG(end));
  int code = WEXITSTATUS(end);
  torture_say("%d ", code);
  return code < ENTERED ? tune_status_make((tune_status_code)code, "in the child") : TUNE_OK;
}

static tune_status enter_sandboxes(const char *folder) {
  TUNE_RETURN_IF_ERROR(enter_in_child(folder, TUNE_SANDBOX_RUN));
  TUNE_RETURN_IF_ERROR(enter_in_child(folder, TUNE_SANDBOX_DRIVER));
  return enter_in_child(folder, TUNE_SANDBOX_BUILD);
}

int main(int argc, char **argv) {
  static const torture_scenario SCENARIOS[] = {
      {.name = "texts", .run = build_texts},
      {.name = "program-head", .run = take_head},
      {.name = "table", .run = print_table},
      {.name = "progress", .run = show_progress},
      {.name = "messages", .run = exchange_messages},
      {.name = "files", .prepare = prepare_files, .run = use_files, .look = look_at_files},
      {.name = "named-files",
       .prepare = prepare_files,
       .run = use_files_that_have_names,
       .look = look_at_files},
      {.name = "removal", .prepare = prepare_removal, .run = remove_files},
      {.name = "links",
       .prepare = prepare_files,
       .run = write_through_links,
       .look = look_through_links},
      {.name = "scratch", .prepare = prepare_scratch, .run = use_scratch, .look = torture_sweep},
      {.name = "capture", .run = capture_programs},
      {.name = "run-program", .run = run_programs},
      {.name = "talk", .run = talk_to_program},
      {.name = "find-program", .run = find_programs},
      {.name = "sandbox", .run = enter_sandboxes},
  };
  return torture_main(argc, argv, SCENARIOS, sizeof SCENARIOS / sizeof *SCENARIOS);
}
