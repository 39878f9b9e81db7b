//===- choices_test.c - Decisions as attributes: read, written, refused ----------===//

#include "unittests/dialects/dialects_test_context.h"

#include "dialects/choices.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every kind, labels, a chosen value, what a user pins, odd characters in words.
static const char every_kind[] =
    "module { func.func private @f() attributes {tune.choices = {"
    "a = #tune.tile<[0, 8, 9223372036854775807]>, "
    "b = #tune.fuse<[\"producer\", \"none\"]>, "
    "c = #tune.vectorize<[8, 16]>, "
    "d = #tune.pack<[-1, 1]>, "
    "e = #tune.order<[\"mnk\", \"a \\22quoted\\22 > word\"]>, "
    "f = #tune.unroll<[1, 4]>, "
    "g = #tune.parallel<[0, 2]>, "
    "h = #tune.alternative<[\"outerproduct\", \"dot\"]>, "
    "i = #tune.chosen<\"tile\", 32, \"search:evolutionary\">, "
    "j = #tune.chosen<\"alternative\", \"dot\", \"database:/a b/c.db\">, "
    "k = 64, l = \"dot\"}} }";

static MlirOperation parse_op(MlirContext context, const char *text, MlirOperation *out_module) {
  assert_ok(parse_test_module(context, text, out_module));
  return first_inside(*out_module);
}

// A module with one function that has `choices`, an attribute in text, on line 1.
static tune_status parse_choices(MlirContext context, const char *choices,
                                 MlirOperation *out_module) {
  char text[1024];
  snprintf(text, sizeof text, "module { func.func private @f() attributes {tune.choices = %s} }",
           choices);
  return parse_test_module(context, text, out_module);
}

// What is read is what was written, field by field.
static void reads_every_kind(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirOperation module;
  MlirOperation op = parse_op(context, every_kind, &module);
  tune_choices choices;
  assert_true(tune_choices_are_on(op));
  assert_ok(tune_choices_verify(module));
  assert_ok(tune_choices_read(op, "cpu", &choices));
  assert_int_equal(choices.count, 12);

  static const tune_choice_kind kinds[] = {
      TUNE_CHOICE_TILE,  TUNE_CHOICE_FUSE,   TUNE_CHOICE_VECTORIZE, TUNE_CHOICE_PACK,
      TUNE_CHOICE_ORDER, TUNE_CHOICE_UNROLL, TUNE_CHOICE_PARALLEL,  TUNE_CHOICE_ALTERNATIVE};
  for (size_t i = 0; i < 8; ++i) {
    assert_true(choices.items[i].is_open);
    assert_int_equal(choices.items[i].domain.kind, kinds[i]);
  }
  const tune_domain *tile = &tune_choices_find(&choices, "a")->domain;
  assert_int_equal(tile->count, 3);
  assert_int_equal(tile->values[0], 0);
  assert_true(tile->values[2] == INT64_MAX);
  assert_null(tile->labels);
  const tune_domain *order = &tune_choices_find(&choices, "e")->domain;
  assert_string_equal(order->labels[1], "a \"quoted\" > word");
  assert_int_equal(order->values[1], 1);

  const tune_choice *searched = tune_choices_find(&choices, "i");
  assert_false(searched->is_open);
  assert_int_equal(searched->chosen.kind, TUNE_CHOICE_TILE);
  assert_int_equal(searched->chosen.value, 32);
  assert_string_equal(searched->chosen.provenance, "search:evolutionary");
  const tune_chosen *stored = &tune_choices_find(&choices, "j")->chosen;
  assert_string_equal(stored->label, "dot");
  assert_string_equal(stored->provenance, "database:/a b/c.db");
  const tune_chosen *pinned = &tune_choices_find(&choices, "k")->chosen;
  assert_int_equal(pinned->kind, TUNE_CHOICE_PLAIN);
  assert_int_equal(pinned->value, 64);
  assert_null(pinned->label);
  assert_string_equal(pinned->provenance, "user");
  assert_string_equal(tune_choices_find(&choices, "l")->chosen.label, "dot");
  assert_null(tune_choices_find(&choices, "m"));

  tune_choices_deinit(&choices);
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

static char *print(MlirOperation op, bool generic) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (generic)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(op, flags, append_printed, &text);
  mlirOpPrintingFlagsDestroy(flags);
  char *result = NULL;
  assert_ok(tune_string_builder_finish(&text, &result));
  return result;
}

// Whether `bytes` parse to a module whose attribute is the one of `op`, in the same context or, by
// its text, in another one.
static void check_parses_back(const char *bytes, size_t length, MlirOperation op) {
  for (int fresh = 0; fresh < 2; ++fresh) {
    MlirContext context = fresh ? make_test_context() : mlirOperationGetContext(op);
    MlirOperation module = mlirOperationCreateParse(context, mlirStringRefCreate(bytes, length),
                                                    mlirStringRefCreateFromCString("again.mlir"));
    assert_false(mlirOperationIsNull(module));
    MlirStringRef name = mlirStringRefCreateFromCString(TUNE_CHOICES_ATTRIBUTE);
    MlirAttribute before = mlirOperationGetDiscardableAttributeByName(op, name);
    MlirAttribute after = mlirOperationGetDiscardableAttributeByName(first_inside(module), name);
    if (fresh) {
      char *a = print(op, true), *b = print(first_inside(module), true);
      assert_string_equal(a, b);
      free(a);
      free(b);
    } else {
      assert_true(mlirAttributeEqual(before, after));
    }
    mlirOperationDestroy(module);
    if (fresh)
      mlirContextDestroy(context);
  }
}

// Text, generic text and bytecode lose nothing.
static void round_trips(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirOperation module;
  MlirOperation op = parse_op(context, every_kind, &module);
  for (int generic = 0; generic < 2; ++generic) {
    char *text = print(module, generic);
    check_parses_back(text, strlen(text), op);
    free(text);
  }
  tune_string_builder bytes;
  tune_string_builder_init(&bytes);
  mlirOperationWriteBytecode(module, append_printed, &bytes);
  assert_true(bytes.length > 4 && !memcmp(bytes.text, "ML\xefR", 4));
  check_parses_back(bytes.text, bytes.length, op);
  tune_string_builder_deinit(&bytes);
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

// Read and written again, the attribute is the same object.
static void writes_what_it_read(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirOperation module;
  MlirOperation op = parse_op(context, every_kind, &module);
  MlirStringRef name = mlirStringRefCreateFromCString(TUNE_CHOICES_ATTRIBUTE);
  MlirAttribute before = mlirOperationGetDiscardableAttributeByName(op, name);
  tune_choices choices;
  assert_ok(tune_choices_read(op, "cpu", &choices));
  mlirOperationRemoveDiscardableAttributeByName(op, name);
  assert_false(tune_choices_are_on(op));
  assert_ok(tune_choices_write(op, &choices));
  assert_true(mlirAttributeEqual(before, mlirOperationGetDiscardableAttributeByName(op, name)));
  tune_choices_deinit(&choices);
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

// Choices go from everywhere inside, also those that are wrong; other attributes stay.
static void strips_choices(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirOperation module;
  MlirOperation op = parse_op(context,
                              "module { func.func private @f() attributes {tune.choices = 3, "
                              "tune.task = \"t\"} }",
                              &module);
  tune_choices_strip(module);
  assert_false(tune_choices_are_on(op));
  assert_false(mlirAttributeIsNull(
      mlirOperationGetDiscardableAttributeByName(op, mlirStringRefCreateFromCString("tune.task"))));
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

// A search replaces domains by chosen values, in any order of names; removing all removes the
// attribute.
static void sets_choices(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirOperation module;
  MlirOperation op = parse_op(context, "module { func.func private @f() }", &module);
  tune_choices choices;
  assert_ok(tune_choices_read(op, "cpu", &choices));
  assert_int_equal(choices.count, 0);

  int64_t values[] = {8, 16};
  tune_domain domain = {.kind = TUNE_CHOICE_TILE, .count = 2, .values = values};
  char label[] = "dot", provenance[] = "search:random";
  tune_chosen chosen = {.kind = TUNE_CHOICE_ALTERNATIVE, .label = label, .provenance = provenance};
  tune_chosen number = {.kind = TUNE_CHOICE_TILE, .value = 16, .provenance = provenance};
  assert_ok(tune_choices_set_open(&choices, "nr", &domain));
  assert_ok(tune_choices_set_chosen(&choices, "lowering", &chosen));
  assert_ok(tune_choices_set_open(&choices, "mc", &domain));
  assert_ok(tune_choices_set_chosen(&choices, "nr", &number));
  assert_int_equal(choices.count, 3);
  assert_ok(tune_choices_write(op, &choices));
  char *text = print(op, false);
  assert_non_null(strstr(
      text, "tune.choices = {lowering = #tune.chosen<\"alternative\", \"dot\", \"search:random\">, "
            "mc = #tune.tile<[8, 16]>, nr = #tune.chosen<\"tile\", 16 : i64, \"search:random\">}"));
  free(text);

  assert_failure(tune_choices_set_open(&choices, "n r", &domain), TUNE_INVALID_ARGUMENT,
                 "tune.choices: the name \"n r\" is not a word");
  tune_choices_deinit(&choices);
  assert_ok(tune_choices_write(op, &choices)); // an empty list now
  assert_false(tune_choices_are_on(op));
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

// What the dialect's own verifier refuses, while parsing and at the place of the attribute.
static void refuses_wrong_attributes(void **state) {
  (void)state;
  static const struct {
    const char *choices, *message;
  } cases[] = {
      {"{a = #tune.tile<[]>}", "test.mlir:1:71: error: the domain is empty"},
      {"{a = #tune.tile<[8, 16, 8]>}", "test.mlir:1:71: error: the value 8 is in the domain twice"},
      {"{a = #tune.alternative<[\"x\", \"x\"]>}",
       "test.mlir:1:71: error: the value \"x\" is in the domain twice"},
      {"{a = #tune.tile<[8, -1]>}",
       "test.mlir:1:71: error: the value -1 is below 0, the least of #tune.tile"},
      {"{a = #tune.unroll<[0]>}",
       "test.mlir:1:71: error: the value 0 is below 1, the least of #tune.unroll"},
      {"{a = #tune.tile<[\"big\"]>}",
       "test.mlir:1:71: error: a value has to be an i64, but is \"big\""},
      {"{a = #tune.tile<[8 : i32]>}",
       "test.mlir:1:71: error: a value has to be an i64, but is 8 : i32"},
      {"{a = #tune.fuse<[true]>}",
       "test.mlir:1:71: error: a value has to be an i64 or a string, but is true"},
      {"{a = #tune.order<[1, \"mnk\"]>}",
       "test.mlir:1:71: error: a value has to be an i64, as the first one is, but is \"mnk\""},
      {"{a = #tune.order<[\"mnk\", 1]>}",
       "test.mlir:1:71: error: a value has to be a string, as the first one is, but is 1 : i64"},
      {"{a = #tune.alternative<[1]>}",
       "test.mlir:1:71: error: a value has to be a string, but is 1 : i64"},
      {"{a = #tune.alternative<[\"\"]>}", "test.mlir:1:71: error: a value is the empty string"},
      {"{a = #tune.alternative<[\"x=1\"]>}",
       "test.mlir:1:71: error: the value \"x=1\" has ',' or '=' in it"},
      {"{a = #tune.tile<[8], [16]>}", "test.mlir:1:71: error: expected 1 parameters, but had 2"},
      {"{a = #tune.tile<8>}",
       "test.mlir:1:71: error: expected base attribute 'builtin.array' but got 'builtin.integer'"},
      {"{a = #tune.chosen<\"tile\", 8>}",
       "test.mlir:1:71: error: expected 3 parameters, but had 2"},
      {"{a = #tune.chosen<\"tile\", \"x\", \"user\">}",
       "test.mlir:1:71: error: the value has to be an i64, but is \"x\""},
      {"{a = #tune.chosen<\"alternative\", 8, \"user\">}",
       "test.mlir:1:71: error: the value has to be a string, but is 8 : i64"},
      {"{a = #tune.chosen<\"unroll\", 0, \"user\">}",
       "test.mlir:1:71: error: the value 0 is below 1, the least of #tune.unroll"},
      {"{a = #tune.chosen<\"tiles\", 8, \"user\">}",
       "test.mlir:1:71: error: no kind of choice is named \"tiles\"; the kinds are tile, fuse, "
       "vectorize, pack, order, unroll, parallel and alternative"},
      {"{a = #tune.chosen<\"tile\", 8, \"search:\">}",
       "test.mlir:1:71: error: the provenance has to be \"user\", \"default\", "
       "\"search:<strategy>\" or \"database:<where>\", but is \"search:\""},
      {"{a = #tune.chosen<\"tile\", 8.0, \"user\">}",
       "test.mlir:1:71: error: '8.000000e+00 : f64' does not satisfy the constraint"},
  };
  MlirContext context = make_test_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    MlirOperation module;
    assert_failure(parse_choices(context, cases[i].choices, &module), TUNE_INVALID_ARGUMENT,
                   cases[i].message);
  }
  mlirContextDestroy(context);
}

// Each target reads and writes its own; what says no target is everybody's.
static void keeps_targets_apart(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirOperation module;
  assert_ok(parse_choices(context, "{cpu = {mc = 2}, vulkan = {mc = 4, nr = 8}}", &module));
  MlirOperation op = first_inside(module);
  assert_true(tune_choices_are_by_target(op));
  tune_choices choices;
  assert_ok(tune_choices_read(op, "vulkan", &choices));
  assert_string_equal(choices.target, "vulkan");
  assert_int_equal(choices.count, 2);
  assert_int_equal(tune_choices_find(&choices, "mc")->chosen.value, 4);
  tune_choices_deinit(&choices);
  assert_ok(tune_choices_write(op, &(tune_choices){.target = "vulkan"})); // takes them away
  assert_ok(tune_choices_read(op, "vulkan", &choices));
  assert_int_equal(choices.count, 0);
  tune_chosen chosen = {.kind = TUNE_CHOICE_TILE, .value = 16, .provenance = "default"};
  assert_ok(tune_choices_set_chosen(&choices, "mc", &chosen));
  assert_ok(tune_choices_write(op, &choices));
  tune_choices_deinit(&choices);
  assert_ok(tune_choices_read(op, "cpu", &choices));
  assert_int_equal(choices.count, 1);
  assert_int_equal(choices.items[0].chosen.value, 2);
  tune_choices_deinit(&choices);
  mlirOperationDestroy(module);

  assert_ok(parse_choices(context, "{mc = 2}", &module));
  op = first_inside(module);
  assert_false(tune_choices_are_by_target(op));
  assert_ok(tune_choices_read(op, "cuda", &choices));
  assert_int_equal(choices.count, 1);
  assert_null(choices.target);
  choices.target = "cuda";
  assert_failure(tune_choices_write(op, &choices), TUNE_FAILED_PRECONDITION,
                 "test.mlir:1:10: error: tune.choices: these choices say for no target, so that "
                 "those for cuda have no place beside them; write {<target> = {...}} around them");
  tune_choices_deinit(&choices);
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

// What is right for MLIR, but not as choices: found by tune_choices_verify, at the op.
static void refuses_wrong_choices(void **state) {
  (void)state;
  static const struct {
    const char *choices, *message;
  } cases[] = {
      {"5", "test.mlir:1:10: error: tune.choices: expected a dictionary {name = choice, ...}"},
      {"{mc = 2.0}", "test.mlir:1:10: error: tune.choices: \"mc\": expected a domain such as "
                     "#tune.tile<[8, 16]>, a #tune.chosen, an i64 or a string"},
      {"{mc = 2 : i32}", "test.mlir:1:10: error: tune.choices: \"mc\": expected a domain such as "
                         "#tune.tile<[8, 16]>, a #tune.chosen, an i64 or a string"},
      {"{mc = [8, 16]}", "test.mlir:1:10: error: tune.choices: \"mc\": expected a domain such as "
                         "#tune.tile<[8, 16]>, a #tune.chosen, an i64 or a string"},
      {"{mc = \"\"}", "test.mlir:1:10: error: tune.choices: \"mc\": a value is the empty string"},
      {"{cpu = {mc = 2}, gpu = {}}", "test.mlir:1:10: error: tune.choices: \"gpu\": no such "
                                     "target; choices by target are for cpu, cuda, null or vulkan"},
      {"{cpu = {mc = 2}, vulkan = 3}",
       "test.mlir:1:10: error: tune.choices: \"vulkan\": expected a dictionary {name = choice, "
       "...}, as the other targets have"},
      {"{cpu = {mc = 2}, vulkan = {mc = 2.0}}",
       "test.mlir:1:10: error: tune.choices: \"mc\": expected a domain such as "
       "#tune.tile<[8, 16]>, a #tune.chosen, an i64 or a string"},
      {"{\"m c\" = 2}", "test.mlir:1:10: error: tune.choices: \"m c\": the name is not a word"},
      {"{}, tune.choises = {mc = 2}",
       "test.mlir:1:10: error: tune.choises: no such attribute; did you mean tune.choices?"},
      {"{}, tune.choice = {mc = 2}",
       "test.mlir:1:10: error: tune.choice: no such attribute; did you mean tune.choices?"},
      {"{}, tune.cohices = {mc = 2}",
       "test.mlir:1:10: error: tune.cohices: no such attribute; did you mean tune.choices?"},
      {"{}, tune.choicess = {mc = 2}",
       "test.mlir:1:10: error: tune.choicess: no such attribute; did you mean tune.choices?"},
  };
  MlirContext context = make_test_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    MlirOperation module;
    assert_ok(parse_choices(context, cases[i].choices, &module));
    assert_failure(tune_choices_verify(module), TUNE_INVALID_ARGUMENT, cases[i].message);
    mlirOperationDestroy(module);
  }
  MlirOperation module;
  assert_ok(
      parse_choices(context, "{}, tune.task = 1, tune.schedule = 2, tune.chances = 3", &module));
  assert_ok(tune_choices_verify(module));
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

// Values made in C are verified like those in text; without the dialect nothing can be made.
static void refuses_wrong_values(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  int64_t values[] = {8, 8};
  tune_domain domain = {.kind = TUNE_CHOICE_TILE, .count = 2, .values = values};
  MlirAttribute attribute;
  assert_failure(tune_domain_write(context, &domain, &attribute), TUNE_INVALID_ARGUMENT,
                 "#tune.tile: the value 8 is in the domain twice");
  assert_true(mlirAttributeIsNull(attribute));
  domain.count = 1;
  assert_ok(tune_domain_write(context, &domain, &attribute));
  assert_true(tune_domain_is_attribute(attribute));
  assert_false(tune_chosen_is_attribute(attribute));
  mlirContextDestroy(context);

  context = mlirContextCreateWithThreading(false);
  assert_failure(tune_domain_write(context, &domain, &attribute), TUNE_NOT_FOUND,
                 "the dialect 'tune' is not loaded");
  mlirContextDestroy(context);
}

// A pinned value is looked up by number or word, and one outside the domain is told with it.
static void finds_values_in_domains(void **state) {
  (void)state;
  int64_t values[] = {16, 32, 64}, positions[] = {0, 1};
  char outer[] = "outerproduct", dot[] = "dot", fma[] = "fma";
  char *labels[] = {outer, dot};
  tune_domain tile = {.kind = TUNE_CHOICE_TILE, .count = 3, .values = values};
  tune_domain lowering = {
      .kind = TUNE_CHOICE_ALTERNATIVE, .count = 2, .values = positions, .labels = labels};
  size_t index = 99;
  assert_ok(tune_domain_find(&tile, &(tune_chosen){.value = 32}, &index));
  assert_int_equal(index, 1);
  assert_ok(tune_domain_find(&lowering, &(tune_chosen){.label = dot}, &index));
  assert_int_equal(index, 1);
  assert_ok(tune_domain_find(&lowering, &(tune_chosen){.value = 0}, &index));
  assert_int_equal(index, 0);
  assert_failure(tune_domain_find(&tile, &(tune_chosen){.value = 48}, &index),
                 TUNE_INVALID_ARGUMENT, "the value 48, not in its domain [16, 32, 64]");
  assert_failure(tune_domain_find(&lowering, &(tune_chosen){.label = fma}, &index),
                 TUNE_INVALID_ARGUMENT, "the value \"fma\", not in its domain [outerproduct, dot]");
  assert_failure(tune_domain_find(&tile, &(tune_chosen){.label = fma}, &index),
                 TUNE_INVALID_ARGUMENT, "the value \"fma\", not in its domain [16, 32, 64]");
}

// The kinds in C are the attributes in IRDL: each can be made.
static void every_kind_is_in_the_irdl(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  for (int i = 0; i < TUNE_CHOICE_KIND_COUNT; ++i) {
    tune_choice_kind kind = (tune_choice_kind)i;
    int64_t value = 1;
    char word[] = "word", *label = word;
    tune_domain domain = {.kind = kind, .count = 1, .values = &value};
    if (kind == TUNE_CHOICE_ALTERNATIVE)
      domain.labels = &label;
    MlirAttribute attribute;
    assert_ok(tune_domain_write(context, &domain, &attribute));
  }
  mlirContextDestroy(context);
}

// Loading twice is loading once, and the attributes are in the context's one dialect.
static void loads_once(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirDialect first = mlirDialectHandleLoadDialect(tune_dialect_get_handle(), context);
  assert_ok(tune_dialect_load(context));
  assert_true(mlirDialectEqual(
      first, mlirContextGetOrLoadDialect(context, mlirStringRefCreateFromCString("tune"))));
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_every_kind),
      cmocka_unit_test(round_trips),
      cmocka_unit_test(writes_what_it_read),
      cmocka_unit_test(sets_choices),
      cmocka_unit_test(strips_choices),
      cmocka_unit_test(refuses_wrong_attributes),
      cmocka_unit_test(keeps_targets_apart),
      cmocka_unit_test(refuses_wrong_choices),
      cmocka_unit_test(refuses_wrong_values),
      cmocka_unit_test(finds_values_in_domains),
      cmocka_unit_test(every_kind_is_in_the_irdl),
      cmocka_unit_test(loads_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
