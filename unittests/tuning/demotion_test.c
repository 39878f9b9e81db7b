//===- demotion_test.c - Which winners stand in their module --------------------===//

#include "space_fixture.h"

#include "support/clock.h"
#include "tuning/session/demotion.h"

#define MOST_TASKS 40

// A module whose time is a sum over its tasks, each of which takes a second by default.
typedef struct model {
  size_t count;
  double promised[MOST_TASKS]; // seconds that its winner saves alone
  double saved[MOST_TASKS];    // in the module
  double next[MOST_TASKS];     // that its next best saves in the module; 0: there is none
  bool is_wrong[MOST_TASKS];   // the module, with its winner
  bool is_next_wrong[MOST_TASKS];
  bool fails_to_build[MOST_TASKS];
  bool is_default_wrong;
  bool hides_culprit;
  double doubt; // half of an interval of a ratio

  // What it was asked.
  tune_config built[200]; // by ticket
  bool is_pending[200], is_measuring;
  size_t capacity;
  size_t build_count, live;
  sig_atomic_t interrupted;
  size_t interrupts_at;            // after so many builds; 0: never
  size_t compare_count, breaks_at; // the comparison at which the evaluator itself fails; 0: none
} model;

static double seconds(const model *m, const tune_config *config) {
  double sum = 0;
  for (size_t i = 0; i < m->count; ++i)
    sum += 1 - (config->choices[i] == TUNE_WHOLE_WINNER ? m->saved[i]
                : config->choices[i] == TUNE_WHOLE_NEXT ? m->next[i]
                                                        : 0);
  return sum;
}

static bool is_default(const model *m, const tune_config *config) {
  for (size_t i = 0; i < m->count; ++i)
    if (config->choices[i] != TUNE_WHOLE_DEFAULT)
      return false;
  return true;
}

static bool is_wrong(const model *m, const tune_config *config) {
  for (size_t i = 0; i < m->count; ++i)
    if ((config->choices[i] == TUNE_WHOLE_WINNER && m->is_wrong[i]) ||
        (config->choices[i] == TUNE_WHOLE_NEXT && m->is_next_wrong[i]))
      return true;
  return m->is_default_wrong && is_default(m, config);
}

static tune_status model_build(void *self, uint64_t ticket, const tune_config *config) {
  model *m = self;
  assert_in_range(ticket, 1, 199);
  assert_ok(tune_config_init_copy(&m->built[ticket], config));
  m->is_pending[ticket] = true;
  ++m->build_count;
  if (m->interrupts_at && m->build_count > m->interrupts_at)
    m->interrupted = 1;
  return TUNE_OK;
}

static tune_status model_measure(void *self, uint64_t ticket, double best) {
  model *m = self;
  (void)best;
  m->is_pending[ticket] = true;
  m->is_measuring = true;
  return TUNE_OK;
}

static void model_release(void *self, uint64_t ticket) {
  model *m = self;
  assert_int_not_equal(m->built[ticket].count, 0);
  tune_config_deinit(&m->built[ticket]);
  m->built[ticket].count = 0;
  --m->live;
}

// What was begun last is done first; 0: nothing is under way.
static uint64_t find_pending(const model *m) {
  uint64_t ticket = 199;
  while (ticket > 0 && !m->is_pending[ticket])
    --ticket;
  return ticket;
}

static size_t model_capacity(const void *self) {
  const model *m = self;
  return m->capacity;
}

static tune_status model_wait(void *self, double limit, tune_evaluation *event, bool *any) {
  model *m = self;
  (void)limit;
  uint64_t pending = find_pending(m);
  assert_int_not_equal(pending, 0);
  const tune_config *config = &m->built[pending];
  *event = (tune_evaluation){.ticket = pending, .is_measured = m->is_measuring};
  *any = true;
  for (size_t i = 0; i < m->count && !m->is_measuring; ++i)
    if (config->choices[i] == TUNE_WHOLE_WINNER && m->fails_to_build[i])
      event->verdict = TUNE_VERDICT_BUILD_FAILED;
  if (m->is_measuring && is_wrong(m, config))
    event->verdict = TUNE_VERDICT_WRONG;
  if (event->verdict != TUNE_VERDICT_OK)
    event->error = strdup("it is so");
  if (!m->is_measuring && event->verdict == TUNE_VERDICT_OK)
    ++m->live;
  else if (!m->is_measuring)
    tune_config_deinit(&m->built[pending]);
  if (m->is_measuring && event->verdict == TUNE_VERDICT_OK)
    event->time.median = seconds(m, config);
  m->is_measuring = false;
  m->is_pending[pending] = false;
  return TUNE_OK;
}

static tune_status model_compare(void *self, const tune_compare_order *order,
                                 tune_comparison *out) {
  model *m = self;
  assert_int_equal(order->count, 2);
  if (++m->compare_count == m->breaks_at)
    return tune_status_make(TUNE_INTERNAL, "the evaluator is gone");
  *out = (tune_comparison){.count = 2, .culprit = 2};
  const tune_config *configs[] = {&m->built[order->tickets[0]], &m->built[order->tickets[1]]};
  for (size_t i = 0; i < 2 && !out->failed; ++i)
    if (is_wrong(m, configs[i])) {
      out->failed = true;
      out->verdict = TUNE_VERDICT_WRONG;
      out->culprit = m->hides_culprit ? 2 : i;
      out->error = strdup("element 0 is 1 where the reference has 2");
    }
  if (out->failed)
    return TUNE_OK;
  out->times = calloc(2, sizeof *out->times);
  out->ratios = calloc(2, sizeof *out->ratios);
  for (size_t i = 0; i < 2; ++i) {
    double ratio = seconds(m, configs[i]) / seconds(m, configs[0]);
    out->times[i].median = seconds(m, configs[i]);
    out->ratios[i] = (tune_ratio){ratio, ratio - m->doubt, ratio + m->doubt};
  }
  return TUNE_OK;
}

static tune_status model_cancel(void *self) {
  model *m = self;
  for (uint64_t pending; (pending = find_pending(m)) > 0; m->is_pending[pending] = false)
    tune_config_deinit(&m->built[pending]);
  return TUNE_OK;
}

static const tune_evaluator_class model_class = {.name = "model",
                                                 .capacity = model_capacity,
                                                 .build = model_build,
                                                 .measure = model_measure,
                                                 .release = model_release,
                                                 .wait = model_wait,
                                                 .compare = model_compare,
                                                 .cancel = model_cancel};

// Tasks whose winners save what they promise.
static model make_model(size_t count) {
  model m = {.count = count, .doubt = 0.0001, .capacity = 2};
  for (size_t i = 0; i < count; ++i)
    m.promised[i] = m.saved[i] = 0.1 + 0.01 * (double)(i * 7 % count);
  return m;
}

// All that was built is released, whatever comes of it.
static tune_status try_with(model *m, const tune_demotion_options *options, tune_demotion *out) {
  tune_space *space = make_space();
  for (size_t i = 0; i < m->count; ++i) {
    char name[32];
    int64_t values[] = {0, 1, 2};
    snprintf(name, sizeof name, "task_%zu", i);
    add_values(space, name, false, values, m->next[i] > 0 ? 3 : 2);
  }
  const tune_task task = {.key = "module", .name = "module", .space = space};
  tune_evaluator evaluator = {&model_class, m};
  tune_status status = tune_demotion_run(&task, options, &evaluator, out);
  assert_int_equal(m->live, 0);
  tune_space_destroy(space);
  return status;
}

static void run_with(model *m, const tune_demotion_options *options, tune_demotion *out) {
  assert_ok(try_with(m, options, out));
}

static void run(model *m, tune_demotion *out) {
  const tune_demotion_options options = {
      .gains = m->promised, .builds = 32, .interrupted = &m->interrupted};
  run_with(m, &options, out);
}

static void assert_demoted(const tune_demotion *result, size_t index, size_t task,
                           tune_verdict verdict) {
  assert_true(index < result->demoted_count);
  assert_int_equal(result->demoted[index].task, task);
  assert_int_equal(result->demoted[index].verdict, verdict);
  assert_int_equal(result->config.choices[task], result->demoted[index].value);
}

// What is as good as it promises takes two builds.
static void good_winners_stand(void **state) {
  (void)state;
  for (size_t count = 1; count <= 20; count += 19) {
    model m = make_model(count);
    tune_demotion result;
    run(&m, &result);
    assert_int_equal(result.demoted_count, 0);
    assert_int_equal(result.verdict, TUNE_VERDICT_OK);
    assert_true(result.ratio.high < 1);
    assert_null(result.ended);
    assert_int_equal(m.build_count, 2);
    tune_demotion_deinit(&result);
  }
}

// Each task in turn makes the module wrong: it alone is found, by halves.
static void a_wrong_one_is_found(void **state) {
  (void)state;
  for (size_t wrong = 0; wrong < 20; ++wrong) {
    model m = make_model(20);
    m.is_wrong[wrong] = true;
    m.hides_culprit = wrong % 2;
    tune_demotion result;
    run(&m, &result);
    assert_int_equal(result.demoted_count, 1);
    assert_demoted(&result, 0, wrong, TUNE_VERDICT_WRONG);
    assert_non_null(result.demoted[0].error);
    assert_int_equal(result.verdict, TUNE_VERDICT_OK);
    assert_true(result.ratio.high < 1);
    assert_true(m.build_count <= 2 + 5 + 1);
    tune_demotion_deinit(&result);
  }
}

// So are several, and those that do not build with the others.
static void several_wrong_ones_are_found(void **state) {
  (void)state;
  model m = make_model(12);
  m.is_wrong[3] = m.is_wrong[7] = m.fails_to_build[9] = true;
  tune_demotion result;
  run(&m, &result);
  assert_int_equal(result.demoted_count, 3);
  assert_int_equal(result.config.choices[3], TUNE_WHOLE_DEFAULT);
  assert_int_equal(result.config.choices[7], TUNE_WHOLE_DEFAULT);
  assert_int_equal(result.config.choices[9], TUNE_WHOLE_DEFAULT);
  assert_int_equal(result.verdict, TUNE_VERDICT_OK);
  tune_demotion_deinit(&result);
}

// One that takes more than all others save.
static void a_slow_one_is_found(void **state) {
  (void)state;
  for (size_t slow = 0; slow < 16; ++slow) {
    model m = make_model(16);
    m.saved[slow] = -5;
    tune_demotion result;
    run(&m, &result);
    assert_int_equal(result.demoted_count, 1);
    assert_demoted(&result, 0, slow, TUNE_VERDICT_OK);
    assert_true(result.demoted[0].slowdown > 1.3);
    assert_true(result.ratio.high < 1);
    tune_demotion_deinit(&result);
  }
}

// Also where the module gains all the same, but less than half of what is promised.
static void a_spoiler_is_found(void **state) {
  (void)state;
  model m = make_model(10);
  m.saved[4] = -1.2;
  tune_demotion result;
  run(&m, &result);
  assert_int_equal(result.demoted_count, 1);
  assert_demoted(&result, 0, 4, TUNE_VERDICT_OK);
  tune_demotion_deinit(&result);
}

// Where all save less in the module than alone none is to blame, and few builds find out.
static void smaller_gains_are_no_fault(void **state) {
  (void)state;
  model m = make_model(32);
  for (size_t i = 0; i < m.count; ++i)
    m.saved[i] = m.promised[i] / 4;
  tune_demotion result;
  run(&m, &result);
  assert_int_equal(result.demoted_count, 0);
  assert_true(m.build_count <= 25);
  assert_true(result.ratio.high < 1);
  tune_demotion_deinit(&result);
}

// One task alone that loses has its default, or its next best where that is faster and right.
static void one_task_alone(void **state) {
  (void)state;
  struct {
    double next;
    bool is_next_wrong;
    uint16_t expected;
  } const cases[] = {{0, false, TUNE_WHOLE_DEFAULT},
                     {0.2, false, TUNE_WHOLE_NEXT},
                     {0.2, true, TUNE_WHOLE_DEFAULT}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int wrong = 0; wrong < 2; ++wrong) {
      model m = make_model(1);
      m.saved[0] = wrong ? 0.3 : -0.1;
      m.is_wrong[0] = wrong;
      m.next[0] = cases[i].next;
      m.is_next_wrong[0] = cases[i].is_next_wrong;
      tune_demotion result;
      run(&m, &result);
      assert_int_equal(result.demoted_count, 1);
      assert_demoted(&result, 0, 0, wrong ? TUNE_VERDICT_WRONG : TUNE_VERDICT_OK);
      assert_int_equal(result.demoted[0].value, cases[i].expected);
      assert_int_equal(result.verdict, TUNE_VERDICT_OK);
      assert_true(result.ratio.low > 0 && result.ratio.low <= 1);
      tune_demotion_deinit(&result);
    }
}

// What is in doubt stands: an interval with 1 in it.
static void doubt_is_no_reason(void **state) {
  (void)state;
  model m = make_model(1);
  m.saved[0] = -0.05;
  m.doubt = 0.1;
  tune_demotion result;
  run(&m, &result);
  assert_int_equal(result.demoted_count, 0);
  assert_true(result.ratio.low < 1 && result.ratio.high > 1);
  tune_demotion_deinit(&result);
}

// Whenever builds run out or somebody interrupts: the module is no worse than by default where that
// was seen, and nothing was changed where nothing was.
static void it_may_end_anywhere(void **state) {
  (void)state;
  for (size_t builds = 0; builds < 12; ++builds)
    for (int how = 0; how < 4; ++how) {
      model m = make_model(16);
      bool is_interrupted = how & 1;
      if (how & 2)
        m.is_wrong[11] = true;
      else
        m.saved[11] = -20;
      m.interrupts_at = is_interrupted ? builds + 1 : 0;
      const tune_demotion_options options = {.gains = m.promised,
                                             .builds = is_interrupted ? 32 : builds,
                                             .interrupted = &m.interrupted};
      tune_demotion result;
      run_with(&m, &options, &result);
      if (m.build_count < 2 || (is_interrupted && builds < 1)) {
        assert_int_equal(result.verdict, TUNE_VERDICT_CANCELLED);
        assert_int_equal(result.demoted_count, 0);
        assert_non_null(result.ended);
      } else {
        assert_int_equal(result.verdict, TUNE_VERDICT_OK);
        assert_int_equal(result.config.choices[11], TUNE_WHOLE_DEFAULT);
        assert_true(result.ratio.low > 0 && result.ratio.low <= 1);
      }
      tune_demotion_deinit(&result);
    }
}

// A deadline that has passed leaves no time for anything.
static void no_time_is_told(void **state) {
  (void)state;
  model m = make_model(3);
  const tune_demotion_options options = {
      .gains = m.promised, .builds = 32, .deadline = tune_clock_seconds() - 1};
  tune_demotion result;
  run_with(&m, &options, &result);
  assert_int_equal(m.build_count, 0);
  assert_int_equal(result.verdict, TUNE_VERDICT_CANCELLED);
  assert_string_equal(result.ended, "no time was left");
  tune_demotion_deinit(&result);
}

// A module that is wrong by default says so, and is told from one that is wrong by its winners.
static void a_wrong_default_is_told(void **state) {
  (void)state;
  for (int hides = 0; hides < 2; ++hides) {
    model m = make_model(4);
    m.is_default_wrong = true;
    m.hides_culprit = hides;
    tune_demotion result;
    run(&m, &result);
    assert_int_equal(result.demoted_count, 0);
    assert_non_null(strstr(result.ended, "by default it is not right: wrong"));
    assert_int_equal(result.verdict, TUNE_VERDICT_OK);
    tune_demotion_deinit(&result);
  }
}

// An evaluator that fails leaves no form behind, at whichever comparison.
static void a_failure_leaves_nothing(void **state) {
  (void)state;
  for (size_t breaks_at = 1;; ++breaks_at) {
    size_t compared = 0;
    for (int how = 0; how < 2; ++how) {
      model m = make_model(16);
      m.breaks_at = breaks_at;
      if (how)
        m.is_wrong[11] = true;
      else
        m.saved[11] = -20;
      m.next[11] = 0.05;
      const tune_demotion_options options = {
          .gains = m.promised, .builds = 32, .interrupted = &m.interrupted};
      tune_demotion result;
      tune_status status = try_with(&m, &options, &result);
      bool broke = m.compare_count >= breaks_at;
      compared += broke;
      assert_int_equal(tune_status_is_ok(status), !broke);
      if (!broke)
        tune_demotion_deinit(&result);
      tune_status_free(status);
    }
    if (!compared)
      break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_winners_stand),
      cmocka_unit_test(a_wrong_one_is_found),
      cmocka_unit_test(several_wrong_ones_are_found),
      cmocka_unit_test(a_slow_one_is_found),
      cmocka_unit_test(a_spoiler_is_found),
      cmocka_unit_test(smaller_gains_are_no_fault),
      cmocka_unit_test(one_task_alone),
      cmocka_unit_test(doubt_is_no_reason),
      cmocka_unit_test(it_may_end_anywhere),
      cmocka_unit_test(no_time_is_told),
      cmocka_unit_test(a_wrong_default_is_told),
      cmocka_unit_test(a_failure_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
