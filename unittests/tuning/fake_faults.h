//===- fake_faults.h - What a config of the fake servers may do wrong ------------------===//

#ifndef TUNE_UNITTESTS_TUNING_FAKE_FAULTS_H
#define TUNE_UNITTESTS_TUNING_FAKE_FAULTS_H

enum fake_fault {
  FAULT_NONE,
  FAULT_BUILD_FAILS,
  FAULT_WORKER_DIES_ONCE,
  FAULT_WORKER_DIES,
  FAULT_WORKER_HANGS,
  FAULT_RUN_CRASHES,
  FAULT_WRONG,
  FAULT_MEASURER_DIES_ONCE,
  FAULT_MEASURER_DIES,
  FAULT_NO_MEDIAN, // the reply lacks it
  FAULT_COMPARE_HANGS,
  FAULT_WAITS,                // for its cores, for longer than the test takes, as it says
  FAULT_WORKER_KILLED_ONCE,   // by SIGKILL, with half of the artifact written
  FAULT_WORKER_CUT_OFF_ONCE,  // killed halfway through its answer
  FAULT_WORKER_CUT_OFF,       //
  FAULT_MEASURER_KILLED_ONCE, // by SIGKILL, while it measures
  FAULT_MEASURER_CUT_OFF_ONCE,
  FAULT_COMPARER_KILLED_ONCE, // the measurer, while it compares
  FAULT_COMPARER_CUT_OFF_ONCE,
  FAULT_CHILD_KILLED_ONCE, // those of both servers, and started again by them
  FAULT_COUNT,
};

#endif // TUNE_UNITTESTS_TUNING_FAKE_FAULTS_H
