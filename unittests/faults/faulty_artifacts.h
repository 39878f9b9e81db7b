//===- faulty_artifacts.h - Artifacts of a search, and what is to be said of them ------===//
//
// They are those of unittests/tune-measure/artifact.c.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_FAULTS_FAULTY_ARTIFACTS_H
#define TUNE_UNITTESTS_FAULTS_FAULTY_ARTIFACTS_H

#include <stddef.h>

typedef struct faulty_artifact {
  const char *name;
  const char *verdict;
  const char *error; // a part of it; NULL where there is none
} faulty_artifact;

// By the value of the knob "artifact"; the first is the default, the last one the best.
static const faulty_artifact faulty_artifacts[] = {
    {"SLOW", "ok", NULL},
    {"FAR", "run-crashed", "SIGSEGV while running on sparse inputs, after the end of argument 1"},
    {"NO_ADDRESS", "run-crashed", "SIGSEGV while running on sparse inputs, at address"},
    {"ILLEGAL", "run-crashed", "SIGILL while running"},
    {"DIVIDE", "run-crashed", "SIGFPE while running"},
    {"ABORT", "run-crashed",
     "SIGABRT while running on sparse inputs; it printed: the artifact gives up"},
    {"EXIT", "run-crashed", "exited with status 3 while running"},
    {"STACK", "run-crashed", "SIGSEGV while running"},
    {"LACKING", "run-crashed", "undefined symbol: a_function_that_nobody_has"},
    {"WRONG", "wrong", "result 0"},
    {"WRONG_NAN", "wrong", "result 0"},
    {"SCRIBBLE", "run-crashed", "SIGSEGV while running on sparse inputs, in argument 0"},
    {"ENDLESS", "run-timeout", "still running on sparse inputs after 2 s"},
    {"STUBBORN", "run-timeout", "still running on sparse inputs after 2 s"},
    {"FLOOD", "run-timeout", "still running on sparse inputs after 2 s"},
    {"MEMORY", "run-crashed", "memory may have run out"},
    {"GOOD", "ok", NULL},
};

#define FAULTY_ARTIFACT_COUNT (sizeof faulty_artifacts / sizeof *faulty_artifacts)

#endif // TUNE_UNITTESTS_FAULTS_FAULTY_ARTIFACTS_H
