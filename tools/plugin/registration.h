//===- registration.h - Our passes and dialect in MLIR's C++ registries ----------===//
//
// What tune-opt, the plugin and a C++ compiler that links to us have in common. C++,
// because upstream registers passes by name and dialects of plugins only there.
//
// Threads: to be called while a process starts.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_PLUGIN_REGISTRATION_H
#define TUNE_TOOLS_PLUGIN_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tune {

// Registers every pass of transforms/passes/passes.h as a pipeline of its name, which hands the
// option text over as it is: "--tune-search=evolutionary" could not be parsed as MLIR's name=value
// options. To be called once per process.
void registerPasses();

// Registers the tune dialect.
void registerDialect(mlir::DialectRegistry &registry);

} // namespace tune

#endif // TUNE_TOOLS_PLUGIN_REGISTRATION_H
