//===- main.cpp - tune-opt: mlir-opt with our passes and dialect -----------------===//
//
// All that upstream has is registered, so that every flag of mlir-opt works and everything
// that mlir-opt reads can be tuned. docs/tune-opt.md is the manual.
//
//===--------------------------------------------------------------------------===//

#include "support/file.h"
#include "tools/plugin/registration.h"
#include "transforms/ir/foreign_dialects.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// MLIR empties the output before it reads the input.
static bool wouldLoseInput(llvm::StringRef input, llvm::StringRef output) {
  return llvm::sys::fs::is_regular_file(output) && llvm::sys::fs::equivalent(input, output);
}

// A shell has jobs in the background ignore Ctrl-C, nohup a terminal that is gone. LLVM takes such
// signals all the same, removes the output over them, and goes on, since they are ignored.
static void blockIgnoredSignals() {
  sigset_t ignored;
  sigemptyset(&ignored);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction found;
    if (sigaction(number, nullptr, &found) == 0 && found.sa_handler == SIG_IGN)
      sigaddset(&ignored, number);
  }
  pthread_sigmask(SIG_BLOCK, &ignored, nullptr);
}

// Upstream empties the output before it reads the input, so that whatever ends the process then,
// in a search of hours, leaves nothing of what was there. So it writes to memory, and what it has
// written replaces the output at the end, whole. Memory has a name in /proc alone: without that it
// writes to a file beside the output.
class WholeOutput {
public:
  // Where nothing can be put in the place of `path`, upstream writes there, or says why not.
  explicit WholeOutput(const std::string &path) : path(path) {
    if (path == "-" || !mayReplace(path))
      return;
    file = memfd_create("tune-opt", MFD_CLOEXEC);
    temporary = "/proc/self/fd/" + std::to_string(file);
    if (file < 0 || access(temporary.c_str(), W_OK) != 0)
      writeBeside();
  }
  ~WholeOutput() {
    if (file >= 0)
      close(file);
    if (isNamed)
      unlink(temporary.c_str());
  }
  WholeOutput(const WholeOutput &) = delete;
  WholeOutput &operator=(const WholeOutput &) = delete;

  std::string name() const { return file < 0 ? path : temporary; }

  // False, with a message, where the output could not be written.
  bool commit() const {
    if (file < 0)
      return true;
    char *bytes = nullptr;
    size_t size = 0;
    tune_status status = tune_file_read(temporary.c_str(), &bytes, &size);
    if (tune_status_is_ok(status) && size > 0) // --show-dialects and the like write none
      status = tune_file_write(path.c_str(), bytes, size);
    free(bytes);
    if (!tune_status_is_ok(status))
      llvm::errs() << "tune-opt: " << tune_status_get_message(status) << "\n";
    bool isOk = tune_status_is_ok(status);
    tune_status_free(status);
    return isOk;
  }

private:
  static bool mayReplace(const std::string &path) {
    struct stat info;
    bool exists = stat(path.c_str(), &info) == 0;
    if (exists && (!S_ISREG(info.st_mode) || access(path.c_str(), W_OK) != 0))
      return false;
    tune_status status = tune_file_check_writable(path.c_str());
    bool isWritable = tune_status_is_ok(status);
    tune_status_free(status);
    return isWritable;
  }

  void writeBeside() {
    if (file >= 0)
      close(file);
    temporary = path + ".XXXXXX";
    file = mkostemp(temporary.data(), O_CLOEXEC);
    isNamed = file >= 0;
    if (isNamed)
      llvm::sys::RemoveFileOnSignal(temporary);
  }

  std::string path, temporary;
  int file = -1; // -1: it goes to `path`
  bool isNamed = false;
};

// A reader that goes away (`2>&1 | head -1`) takes what a search says with it, and not its records
// and its module. What it had been to read of the module itself is missed by somebody.
static bool wasRead(llvm::raw_fd_ostream &stream, const char *what) {
  stream.flush();
  if (!stream.has_error())
    return true;
  std::string why = stream.error().message();
  stream.clear_error(); // or it would abort as it is closed
  if (what)
    llvm::errs() << "tune-opt: writing " << what << ": " << why << "\n";
  return false;
}

// A module that upstream cannot parse since it is a front end's: what lowers it.
static void adviseOnDialects(const std::string &input) {
  char *text = nullptr;
  const char *name = nullptr;
  tune_status status = tune_file_read(input.c_str(), &text, nullptr);
  const char *advice = text ? tune_foreign_dialect_find(text, &name) : nullptr;
  if (advice)
    llvm::errs() << input << ": note: " << name << ": " << advice << "\n";
  free(text);
  tune_status_free(status);
}

// Upstream's parser and passes crash on some input. What was read is then told, at least: a message
// of the system names the program only.
static std::string crashNote;

static void tellCrash(int number) {
  const char *name = sigabbrev_np(number); // of a table
  for (llvm::StringRef part :
       {llvm::StringRef(crashNote), llvm::StringRef(name ? name : "?"), llvm::StringRef("\n")})
    if (write(STDERR_FILENO, part.data(), part.size()) < 0)
      break;
  _exit(1);
}

static void catchCrashes(const std::string &input) {
  crashNote = "tune-opt: " + input +
              ": upstream's parser, or a pass that it was asked for, was killed by SIG";
  static char stack[64 << 10]; // the other one may be what has overflowed
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = tellCrash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(number, &action, nullptr);
}

int main(int argc, char **argv) {
  blockIgnoredSignals(); // before there are threads, which inherit it
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  tune::registerDialect(registry);
  tune::registerPasses();
  llvm::cl::AddExtraVersionPrinter(
      [](llvm::raw_ostream &stream) { stream << "tune-opt " TUNE_VERSION "\n"; });
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "tune-opt: mlir-opt that tunes\n", registry);
  // What --help prints is cut off where nobody reads on; a module is not.
  signal(SIGPIPE, SIG_IGN);
  if (wouldLoseInput(input, output)) {
    llvm::errs() << "tune-opt: the output " << output
                 << " is the input, which would be lost; give another name to -o\n";
    return 1;
  }
  tune_status status = tune_file_check_ends(input == "-" ? "/dev/stdin" : input.c_str());
  // A search takes hours before anything is written. What is there, and cannot be replaced,
  // upstream opens first.
  if (tune_status_is_ok(status) && output != "-" && !llvm::sys::fs::exists(output))
    status = tune_file_check_writable(output.c_str());
  if (!tune_status_is_ok(status)) {
    llvm::errs() << "tune-opt: " << tune_status_get_message(status) << "\n";
    tune_status_free(status);
    return 1;
  }
  WholeOutput whole(output);
  catchCrashes(input);
  llvm::LogicalResult result = mlir::MlirOptMain(argc, argv, input, whole.name(), registry);
  if (result.failed() && input != "-")
    adviseOnDialects(input);
  bool isWritten = wasRead(llvm::outs(), "the output");
  wasRead(llvm::errs(), nullptr);
  return result.succeeded() && isWritten && whole.commit() ? 0 : 1;
}
