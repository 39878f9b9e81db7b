//===- prepack_test.c - What is computed ahead of the calls, and what is not --------===//

#include "transforms/lower/cpu/weights/prepack.h"

#include "transforms/ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

#define M "memref<4xf32>"
#define ALLOC(NAME) "  %" NAME " = memref.alloc() : " M "\n"
#define COPY(FROM, TO) "  memref.copy %" FROM ", %" TO " : " M " to " M "\n"
#define MAIN "func.func @main(%x: " M ", %w: " M " {tune.constant}, %y: " M ") {\n"
#define END "  return\n}\n"

// Splits @main of `text`. `out_text`, to be freed, is what it became.
static void split(const char *text, bool has_threads, tune_prepack *out_prepack, char **out_text) {
  MlirOperation module, entry;
  assert_ok(tune_ir_parse(context, text, "in.mlir", &module));
  assert_ok(tune_ir_find_function(module, "main", &entry));
  assert_ok(tune_prepack_split(module, entry, has_threads, out_prepack));
  if (!mlirOperationVerify(module))
    fail_msg("what %s became is not valid", text);
  assert_ok(tune_ir_print(module, false, out_text));
  mlirOperationDestroy(module);
}

// Whether `words`, separated by "...", come in this order in `text`.
static bool has_in_order(const char *text, const char *words) {
  char *copy = strdup(words), *rest = copy, *word;
  bool found = true;
  while (found && (word = rest)) {
    rest = strstr(word, "...");
    if (rest) {
      *rest = '\0';
      rest += 3;
    }
    text = strstr(text, word);
    found = text != NULL;
    text += found ? strlen(word) : 0;
  }
  free(copy);
  return found;
}

typedef struct split_case {
  const char *name, *text;
  const char *became; // what is in the result, in order; NULL: it stays as it is
  size_t results;
} split_case;

static const split_case CASES[] = {
    {"a copy", MAIN ALLOC("p") COPY("w", "p") COPY("p", "y") END,
     "@main_prepack(%arg0: memref<4xf32>) -> memref<4xf32>...memref.alloc()...memref.copy %arg0..."
     "return %alloc...@main(...%arg3: memref<4xf32>)...memref.copy %arg3, %arg2...return",
     1},
    {"nothing is made of it", MAIN COPY("w", "y") END, NULL, 0},
    {"no argument is constant",
     "func.func @main(%w: " M ", %y: " M ") {\n" ALLOC("p") COPY("w", "p") COPY("p", "y") END, NULL,
     0},
    {"another argument goes in", MAIN ALLOC("p") COPY("w", "p") COPY("x", "p") COPY("p", "y") END,
     NULL, 0},
    {"it is written again later",
     MAIN ALLOC("p") COPY("w", "p") COPY("p", "y") COPY("w", "p") COPY("p", "x") END, NULL, 0},
    {"two steps, of which the first is no longer needed",
     MAIN ALLOC("p") ALLOC("q") COPY("w", "p") COPY("p", "q") COPY("q", "y") END,
     "@main_prepack...memref.alloc()...memref.alloc()...return...@main(...%arg3: "
     "memref<4xf32>)...memref.copy %arg3, %arg2",
     1},
    {"two that are kept",
     MAIN ALLOC("p") ALLOC("q") COPY("w", "p") COPY("w", "q") COPY("p", "y") COPY("q", "x") END,
     "-> (memref<4xf32>, memref<4xf32>)...@main(...%arg3: memref<4xf32>, %arg4: memref<4xf32>)", 2},
    {"zeroes of its own",
     MAIN ALLOC("p") "  %c = arith.constant 0.0 : f32\n"
                     "  linalg.fill ins(%c : f32) outs(%p : " M ")\n" COPY("p", "y") END,
     NULL, 0},
    {"zeroes first, on the stack",
     MAIN "  %p = memref.alloca() : " M "\n  %c = arith.constant 0.0 : f32\n"
          "  linalg.fill ins(%c : f32) outs(%p : " M ")\n"
          "  %v = memref.subview %p[1] [2] [1] : " M " to memref<2xf32, strided<[1], offset: 1>>\n"
          "  %u = memref.subview %w[1] [2] [1] : " M " to memref<2xf32, strided<[1], offset: 1>>\n"
          "  memref.copy %u, %v : memref<2xf32, strided<[1], offset: 1>> to memref<2xf32, "
          "strided<[1], offset: 1>>\n" COPY("p", "y") END,
     "@main_prepack...memref.alloc()...linalg.fill...memref.copy...return...@main(", 1},
    {"loops, and a scalar from it",
     MAIN ALLOC("p") "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                     "  %c4 = arith.constant 4 : index\n"
                     "  %first = memref.load %w[%c0] : " M
                     "\n" COPY("w", "p") "  scf.for %i = %c0 to %c4 step %c1 {\n"
                                         "    memref.store %first, %p[%i] : " M
                                         "\n  }\n" COPY("p", "y") END,
     "@main_prepack...memref.load...scf.for...return...@main(...%arg3", 1},
    {"a scalar from another argument",
     MAIN ALLOC("p") "  %c0 = arith.constant 0 : index\n"
                     "  %first = memref.load %x[%c0] : " M "\n" COPY(
                         "w", "p") "  memref.store %first, %p[%c0] : " M "\n" COPY("p", "y") END,
     NULL, 0},
    {"who knows which memory a loop carries",
     MAIN ALLOC("p") ALLOC("q")
         COPY("w", "p") "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                        "  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %p, %b = %q) -> "
                        "(" M ", " M ") {\n"
                        "    memref.copy %x, %a : " M " to " M "\n"
                        "    scf.yield %b, %a : " M ", " M "\n  }\n" COPY("p", "y") END,
     NULL, 0},
    {"it is given back",
     "func.func @main(%w: " M " {tune.constant}) -> " M " {\n" ALLOC("p")
         COPY("w", "p") "  return %p : " M "\n}\n",
     NULL, 0},
    {"of a function that is called",
     "func.func private @task(%a: " M ", %b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p")
         COPY("p", "c") END MAIN "  call @task(%x, %w, %y) : (" M ", " M ", " M ") -> ()\n"
                                 "  call @task(%y, %w, %x) : (" M ", " M ", " M ") -> ()\n" END,
     "@task_prepack(...@task(...@main_prepack(%arg0: memref<4xf32>) -> memref<4xf32>...call "
     "@task_prepack(%arg0)...return...@main(...call @task(%arg0, %arg1, %arg2, %arg3)...call "
     "@task(%arg2, %arg1, %arg0, %arg3)",
     1},
    {"what the caller makes of it is constant to the callee",
     "func.func private @task(%b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p") COPY("p", "c")
         END MAIN ALLOC("q") COPY("w", "q") "  call @task(%q, %y) : (" M ", " M ") -> ()\n" END,
     "@task_prepack(...@main_prepack(...memref.copy...call @task_prepack(%alloc)...return...@main(",
     2},
    {"called with what is no constant, once",
     "func.func private @task(%b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p") COPY("p", "c")
         END MAIN "  call @task(%w, %y) : (" M ", " M ") -> ()\n"
                  "  call @task(%x, %y) : (" M ", " M ") -> ()\n" END,
     NULL, 0},
    {"called in a loop",
     "func.func private @task(%b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p") COPY("p", "c")
         END MAIN "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                  "  scf.for %i = %c0 to %c1 step %c1 {\n"
                  "    func.call @task(%w, %y) : (" M ", " M ") -> ()\n  }\n" END,
     "@task_prepack(...@main_prepack(...call @task_prepack(%arg0)...return...@main(...%arg3: "
     "memref<4xf32>)...scf.for...call @task(",
     1},
    {"called in a loop with what that makes",
     "func.func private @task(%b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p") COPY("p", "c")
         END MAIN "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                  "  scf.for %i = %c0 to %c1 step %c1 {\n" ALLOC("q") COPY(
                      "w", "q") "    func.call @task(%q, %y) : (" M ", " M ") -> ()\n  }\n" END,
     NULL, 0},
    {"called in a loop that writes it",
     "func.func private @task(%b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p") COPY("p", "c")
         END MAIN ALLOC("q")
             COPY("w", "q") "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                            "  scf.for %i = %c0 to %c1 step %c1 {\n"
                            "    func.call @task(%q, %y) : (" M ", " M
                            ") -> ()\n" COPY("x", "q") "  }\n" END,
     NULL, 0},
    {"called in a branch",
     "func.func private @task(%b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p") COPY("p", "c")
         END MAIN "  %c0 = arith.constant 0 : index\n  %f = memref.load %x[%c0] : " M "\n"
                  "  %is = arith.cmpf ogt, %f, %f : f32\n  scf.if %is {\n"
                  "    func.call @task(%w, %y) : (" M ", " M ") -> ()\n  }\n" END,
     NULL, 0},
    {"handed to a function as a reference",
     "func.func private @task(%b: " M ", %c: " M ") {\n" ALLOC("p") COPY("b", "p") COPY("p", "c")
         END MAIN "  %f = func.constant @task : (" M ", " M ") -> ()\n"
                  "  call_indirect %f(%x, %y) : (" M ", " M ") -> ()\n"
                  "  call @task(%w, %y) : (" M ", " M ") -> ()\n" END,
     NULL, 0},
};

// What depends on constant arguments alone leaves the function; what may not, stays.
static void what_is_constant_leaves(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    const split_case *one = &CASES[i];
    tune_prepack prepack;
    char *text;
    split(one->text, false, &prepack, &text);
    if (!prepack.function != !one->became || (one->became && !has_in_order(text, one->became)) ||
        (!one->became && strstr(text, "_prepack")) || prepack.result_count != one->results)
      fail_msg("%s: gave %zu results and\n%s", one->name, prepack.result_count, text);
    free(text);
    tune_prepack_deinit(&prepack);
  }
}

// The caller learns which arguments to hand over and what comes back; a name that is taken is not
// taken again.
static void the_split_is_described(void **state) {
  (void)state;
  tune_prepack prepack;
  char *text;
  split("func.func private @main_prepack(" M ")\n" MAIN ALLOC("p") COPY("w", "p") COPY("p", "y")
            END,
        false, &prepack, &text);
  assert_string_equal(prepack.function, "main_prepack_0");
  assert_int_equal(prepack.argument_count, 1);
  assert_int_equal(prepack.arguments[0], 1);
  assert_int_equal(prepack.result_count, 1);
  assert_int_equal(prepack.ranks[0], 1);
  free(text);
  tune_prepack_deinit(&prepack);
}

// Constants of the module are packed without arguments, at load; but not by threads.
static void own_constants_need_no_arguments(void **state) {
  (void)state;
  static const char format[] =
      "memref.global \"private\" %s @g : " M " = dense<[1.0, 2.0, 3.0, 4.0]>\n"
      "func.func private @task(%%b: " M ", %%c: " M ") {\n  %%p = memref.alloc() : " M "\n"
      "  scf.forall (%%i) in (1) {\n"
      "    memref.copy %%b, %%p : " M " to " M "\n  }\n  memref.copy %%p, %%c : " M " to " M
      "\n  return\n}\n"
      "func.func @main(%%y: " M "%s) {\n  %%g = memref.get_global @g : " M "\n"
      "  call @task(%%g, %%y) : (" M ", " M ") -> ()\n  return\n}\n";
  static const struct {
    const char *global, *argument;
    bool has_threads, is_split, is_at_load;
  } cases[] = {
      {"constant", "", false, true, true},
      {"constant", "", true, false, false},
      {"", "", false, false, false},
      {"constant", ", %x: " M " {tune.constant}", false, true, true},
      // Called by somebody, threads may do it.
      {"constant", ", %x: " M " {tune.constant}", true, true, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char module[sizeof format + 64], *text;
    snprintf(module, sizeof module, format, cases[i].global, cases[i].argument);
    tune_prepack prepack;
    split(module, cases[i].has_threads, &prepack, &text);
    assert_int_equal(prepack.function != NULL, cases[i].is_split);
    assert_int_equal(prepack.argument_count, 0);
    assert_int_equal(prepack.is_at_load, cases[i].is_at_load);
    if (cases[i].is_split &&
        !has_in_order(text, "@main_prepack() -> memref<4xf32>...get_global...call "
                            "@task_prepack...@main(...call @task(%0, %arg0, "))
      fail_msg("%s", text);
    free(text);
    tune_prepack_deinit(&prepack);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_constant_leaves),
      cmocka_unit_test(the_split_is_described),
      cmocka_unit_test(own_constants_need_no_arguments),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
