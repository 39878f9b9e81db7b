//===- sampler.c --------------------------------------------------------------===//

#include "tuning/space/sampler.h"

#include "tuning/space/constraint.h"

#include <stdlib.h>
#include <string.h>

// Tries of drawing knob by knob without regard to the constraints.
#define REJECTION_TRIES 128
// Assignments tried in one search, each below a microsecond, and how often a search begins anew: a
// search that took a wrong turn early finds nothing for long, another one may at once.
#define SEARCH_EFFORT 20000
#define SEARCH_RESTARTS 8
#define LAST_SEARCH_EFFORT 2000000
// The share of repairing moves that are made at random, so as not to go in circles.
#define RANDOM_MOVES 0.1
// Assignments between one valid config and the next.
#define WALK_EFFORT 4000000

struct tune_sampler {
  const tune_space *space;
  size_t count;                     // of knobs
  size_t *order;                    // order[depth] is the knob assigned at `depth`
  const tune_constraint **by_depth; // for each depth the constraints that read its knob
  size_t *first;                    // they are by_depth[first[depth], first[depth + 1])
  bool is_hopeless;                 // a constraint without knobs fails
  uint16_t **candidates; // candidates[depth]: the order in which a search tries its values
  size_t *position;      // how many of them it has tried
  bool *is_assigned;     // by knob, during a search
};

static bool reads_knob(const tune_constraint *constraint, size_t knob) {
  size_t count;
  const size_t *knobs = tune_constraint_knobs(constraint, &count);
  for (size_t i = 0; i < count; ++i)
    if (knobs[i] == knob)
      return true;
  return false;
}

//===- Order ------------------------------------------------------------------===//

// How many of the constraint's knobs have no depth yet.
static size_t count_open(const tune_constraint *constraint, const size_t *depth_of) {
  size_t count, open = 0;
  const size_t *knobs = tune_constraint_knobs(constraint, &count);
  for (size_t i = 0; i < count; ++i)
    open += depth_of[knobs[i]] == SIZE_MAX;
  return open;
}

// The constraint that the fewest further knobs complete, or NULL where all are complete.
static const tune_constraint *find_nearly_complete(const tune_space *space,
                                                   const size_t *depth_of) {
  const tune_constraint *best = NULL;
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < tune_space_constraint_count(space); ++i) {
    const tune_constraint *constraint = tune_space_constraint(space, i);
    size_t open = count_open(constraint, depth_of);
    if (open && open < least) {
      least = open;
      best = constraint;
    }
  }
  return best;
}

// Gives every knob its depth: greedily those of the constraint that is complete soonest, then, in
// the space's order, the knobs that no constraint reads.
static void choose_order(tune_sampler *sampler, size_t *depth_of) {
  size_t depth = 0;
  const tune_constraint *next;
  while ((next = find_nearly_complete(sampler->space, depth_of))) {
    for (size_t knob = 0; knob < sampler->count; ++knob) {
      if (depth_of[knob] == SIZE_MAX && reads_knob(next, knob)) {
        depth_of[knob] = depth;
        sampler->order[depth++] = knob;
      }
    }
  }
  for (size_t knob = 0; knob < sampler->count; ++knob) {
    if (depth_of[knob] == SIZE_MAX) {
      depth_of[knob] = depth;
      sampler->order[depth++] = knob;
    }
  }
}

static void place_constraints(tune_sampler *sampler) {
  const tune_space *space = sampler->space;
  size_t constraint_count = tune_space_constraint_count(space), placed = 0, knob_count;
  for (size_t i = 0; i < constraint_count; ++i) {
    const tune_constraint *constraint = tune_space_constraint(space, i);
    tune_constraint_knobs(constraint, &knob_count);
    if (!knob_count && !tune_constraint_holds(constraint, tune_space_knobs(space), NULL))
      sampler->is_hopeless = true;
  }
  for (size_t depth = 0; depth < sampler->count; ++depth) {
    sampler->first[depth] = placed;
    for (size_t i = 0; i < constraint_count; ++i)
      if (reads_knob(tune_space_constraint(space, i), sampler->order[depth]))
        sampler->by_depth[placed++] = tune_space_constraint(space, i);
  }
  sampler->first[sampler->count] = placed;
}

// How often constraints read knobs, all in all.
static size_t count_reads(const tune_space *space) {
  size_t reads = 0, knob_count;
  for (size_t i = 0; i < tune_space_constraint_count(space); ++i) {
    tune_constraint_knobs(tune_space_constraint(space, i), &knob_count);
    reads += knob_count;
  }
  return reads;
}

static bool allocate(tune_sampler *sampler) {
  size_t count = sampler->count;
  sampler->order = calloc(count + 1, sizeof *sampler->order);
  sampler->by_depth = calloc(count_reads(sampler->space) + 1, sizeof *sampler->by_depth);
  sampler->first = calloc(count + 1, sizeof *sampler->first);
  sampler->candidates = calloc(count + 1, sizeof *sampler->candidates);
  sampler->position = calloc(count + 1, sizeof *sampler->position);
  sampler->is_assigned = calloc(count + 1, sizeof *sampler->is_assigned);
  return sampler->order && sampler->by_depth && sampler->first && sampler->candidates &&
         sampler->position && sampler->is_assigned;
}

static bool allocate_candidates(tune_sampler *sampler) {
  for (size_t depth = 0; depth < sampler->count; ++depth) {
    const tune_knob *knob = tune_space_knob(sampler->space, sampler->order[depth]);
    sampler->candidates[depth] = calloc(knob->value_count, sizeof **sampler->candidates);
    if (!sampler->candidates[depth])
      return false;
  }
  return true;
}

tune_status tune_sampler_create(const tune_space *space, tune_sampler **out_sampler) {
  *out_sampler = NULL;
  tune_sampler *sampler = calloc(1, sizeof *sampler);
  size_t count = tune_space_knob_count(space);
  size_t *depth_of = malloc((count + 1) * sizeof *depth_of);
  bool ok = sampler && depth_of;
  if (ok) {
    sampler->space = space;
    sampler->count = count;
    ok = allocate(sampler);
  }
  if (ok) {
    for (size_t knob = 0; knob < count; ++knob)
      depth_of[knob] = SIZE_MAX;
    choose_order(sampler, depth_of);
    place_constraints(sampler);
    ok = allocate_candidates(sampler);
  }
  free(depth_of);
  if (!ok) {
    tune_sampler_destroy(sampler);
    return tune_status_out_of_memory("out of memory while preparing to draw configs");
  }
  *out_sampler = sampler;
  return TUNE_OK;
}

void tune_sampler_destroy(tune_sampler *sampler) {
  if (!sampler)
    return;
  for (size_t depth = 0; sampler->candidates && depth < sampler->count; ++depth)
    free(sampler->candidates[depth]);
  free(sampler->candidates);
  free(sampler->position);
  free(sampler->is_assigned);
  free(sampler->order);
  free(sampler->by_depth);
  free(sampler->first);
  free(sampler);
}

//===- Search -----------------------------------------------------------------===//

// Assigns the knob at `depth`: whether all constraints that read it can still hold.
static bool assign(tune_sampler *sampler, size_t depth, uint16_t *choices, uint16_t choice) {
  size_t knob = sampler->order[depth];
  choices[knob] = choice;
  sampler->is_assigned[knob] = true;
  for (size_t i = sampler->first[depth]; i < sampler->first[depth + 1]; ++i)
    if (!tune_constraint_may_hold(sampler->by_depth[i], tune_space_knobs(sampler->space), choices,
                                  sampler->is_assigned))
      return false;
  return true;
}

// Takes knobs above `depth` for assigned, it and those below for open.
static void open_from(tune_sampler *sampler, size_t depth) {
  for (size_t i = 0; i < sampler->count; ++i)
    sampler->is_assigned[sampler->order[i]] = i < depth;
}

static void shuffle(uint16_t *values, size_t count, tune_random *random) {
  for (size_t i = count; i > 1; --i) {
    size_t j = (size_t)tune_random_below(random, i);
    uint16_t value = values[i - 1];
    values[i - 1] = values[j];
    values[j] = value;
  }
}

// Fills candidates[depth]: at random, or, with `wanted`, that one first and near ones early.
static void order_candidates(tune_sampler *sampler, size_t depth, tune_random *random,
                             const uint16_t *wanted) {
  const tune_knob *knob = tune_space_knob(sampler->space, sampler->order[depth]);
  uint16_t *values = sampler->candidates[depth];
  size_t count = knob->value_count;
  if (wanted && knob->is_ordered) {
    size_t centre = *wanted, filled = 0;
    values[filled++] = (uint16_t)centre;
    for (size_t step = 1; filled < count; ++step) {
      bool up_first = tune_random_next(random) >> 63;
      for (int side = 0; side < 2; ++side) {
        bool up = (side == 0) == up_first;
        if (up && centre + step < count)
          values[filled++] = (uint16_t)(centre + step);
        if (!up && step <= centre)
          values[filled++] = (uint16_t)(centre - step);
      }
    }
    return;
  }
  for (size_t i = 0; i < count; ++i)
    values[i] = (uint16_t)i;
  if (!wanted) {
    shuffle(values, count, random);
    return;
  }
  values[0] = *wanted;
  values[*wanted] = 0;
  shuffle(values + 1, count - 1, random);
}

// Assigns all knobs depth by depth, going back where no value fits, until `effort` assignments were
// tried, which are taken off it. With `keep`, stays near the choices that `config` came with.
static bool search(tune_sampler *sampler, tune_random *random, tune_config *config, bool keep,
                   size_t *effort) {
  size_t depth = 0, prepared = 0;
  open_from(sampler, 0);
  while (*effort > 0) {
    --*effort;
    if (depth == sampler->count)
      return true;
    size_t knob = sampler->order[depth];
    if (prepared <= depth) {
      order_candidates(sampler, depth, random, keep ? &config->choices[knob] : NULL);
      sampler->position[depth] = 0;
      prepared = depth + 1;
    }
    if (sampler->position[depth] == tune_space_knob(sampler->space, knob)->value_count) {
      if (depth == 0)
        return false;
      // What was wanted here is the first candidate; the next visit has to find it again.
      config->choices[knob] = sampler->candidates[depth][0];
      sampler->is_assigned[knob] = false;
      prepared = depth--;
      continue;
    }
    if (assign(sampler, depth, config->choices,
               sampler->candidates[depth][sampler->position[depth]++]))
      ++depth;
  }
  return false;
}

// Searches with at most `most` of `*effort`.
static bool search_within(tune_sampler *sampler, tune_random *random, tune_config *config,
                          size_t most, size_t *effort) {
  size_t given = most < *effort ? most : *effort, left = given;
  bool found = search(sampler, random, config, false, &left);
  *effort -= given - left;
  return found;
}

bool tune_sampler_draw_within(tune_sampler *sampler, tune_random *random, tune_config *config,
                              size_t *effort) {
  if (sampler->is_hopeless)
    return false;
  for (size_t i = 0; (i < REJECTION_TRIES) && (*effort > 0); ++i, --*effort) {
    for (size_t knob = 0; knob < sampler->count; ++knob)
      config->choices[knob] =
          (uint16_t)tune_random_below(random, tune_space_knob(sampler->space, knob)->value_count);
    tune_config_settle(config, sampler->space);
    if (tune_config_is_valid(config, sampler->space, NULL))
      return true;
  }
  for (size_t i = 0; i < SEARCH_RESTARTS; ++i)
    if (search_within(sampler, random, config, SEARCH_EFFORT, effort))
      return true;
  return search_within(sampler, random, config, LAST_SEARCH_EFFORT, effort);
}

bool tune_sampler_draw(tune_sampler *sampler, tune_random *random, tune_config *config) {
  size_t effort = SIZE_MAX;
  return tune_sampler_draw_within(sampler, random, config, &effort);
}

//===- Repair -----------------------------------------------------------------===//

static size_t count_violated(const tune_sampler *sampler, const uint16_t *choices) {
  size_t violated = 0;
  for (size_t i = 0; i < tune_space_constraint_count(sampler->space); ++i)
    violated += !tune_constraint_holds(tune_space_constraint(sampler->space, i),
                                       tune_space_knobs(sampler->space), choices);
  return violated;
}

// A change of one knob, and what it leaves.
struct move {
  size_t knob;
  uint16_t choice;
  size_t violated; // constraints
  size_t step;     // how far an ordered knob moves
};

static bool is_better(const struct move *move, const struct move *than) {
  return move->violated < than->violated ||
         (move->violated == than->violated && move->step < than->step);
}

// The best change of `knob`: the fewest constraints violated, then the nearest value; equals at
// random. Leaves `config` as it is.
static struct move find_move(tune_sampler *sampler, tune_random *random, tune_config *config,
                             size_t knob) {
  const tune_knob *domain = tune_space_knob(sampler->space, knob);
  uint16_t old = config->choices[knob];
  struct move best = {knob, old, SIZE_MAX, SIZE_MAX};
  size_t offset = (size_t)tune_random_below(random, domain->value_count);
  for (size_t i = 0; i < domain->value_count; ++i) {
    uint16_t choice = (uint16_t)((i + offset) % domain->value_count);
    if (choice == old)
      continue;
    config->choices[knob] = choice;
    size_t step = !domain->is_ordered ? 1 : choice > old ? choice - old : old - choice;
    struct move move = {knob, choice, count_violated(sampler, config->choices), step};
    if (is_better(&move, &best))
      best = move;
  }
  config->choices[knob] = old;
  return best;
}

// Changes a knob of `violated`: the one whose change does most, or any one, with its best change,
// where none does any good or chance wants it so.
static void make_move(tune_sampler *sampler, tune_random *random, tune_config *config,
                      const tune_constraint *violated) {
  size_t count;
  const size_t *knobs = tune_constraint_knobs(violated, &count);
  size_t offset = (size_t)tune_random_below(random, count);
  struct move best = {knobs[offset], config->choices[knobs[offset]],
                      count_violated(sampler, config->choices), SIZE_MAX};
  bool is_stuck = tune_random_unit(random) < RANDOM_MOVES;
  for (size_t i = 0; i < count && !is_stuck; ++i) {
    struct move move = find_move(sampler, random, config, knobs[(i + offset) % count]);
    if (move.violated < best.violated || (best.step != SIZE_MAX && is_better(&move, &best)))
      best = move;
  }
  if (best.step == SIZE_MAX)
    best = find_move(sampler, random, config, knobs[offset]);
  config->choices[best.knob] = best.choice;
}

bool tune_sampler_repair(tune_sampler *sampler, tune_random *random, tune_config *config) {
  if (sampler->is_hopeless)
    return false;
  // Local repair: a knob of a violated constraint changes (Minton et al., "Minimizing conflicts",
  // Artificial Intelligence 58, 1992), with random moves as in WalkSAT.
  for (size_t i = 0; i < 4 * sampler->count + 1; ++i) {
    const tune_constraint *violated;
    tune_config_settle(config, sampler->space);
    if (tune_config_is_valid(config, sampler->space, &violated))
      return true;
    make_move(sampler, random, config, violated);
  }
  size_t effort = SEARCH_EFFORT;
  return search(sampler, random, config, true, &effort);
}

//===- Walk -------------------------------------------------------------------===//

void tune_sampler_walk_deinit(tune_sampler_walk *walk) {
  free(walk->choices);
  *walk = (tune_sampler_walk){0};
}

tune_status tune_sampler_walk_next(tune_sampler *sampler, tune_sampler_walk *walk,
                                   tune_config *config, bool *out_found) {
  *out_found = false;
  size_t count = sampler->count, depth = 0, effort = WALK_EFFORT;
  if (!walk->choices) {
    walk->choices = calloc(count + 1, sizeof *walk->choices);
    if (!walk->choices)
      return tune_status_out_of_memory("out of memory while walking over a space");
    walk->has_ended = sampler->is_hopeless;
  } else if (count == 0) {
    walk->has_ended = true; // the empty config was the only one
  } else {
    depth = count - 1;
    ++walk->choices[sampler->order[depth]];
  }
  open_from(sampler, depth);
  while (!walk->has_ended && depth < count && effort-- > 0) {
    size_t knob = sampler->order[depth];
    if (walk->choices[knob] == tune_space_knob(sampler->space, knob)->value_count) {
      walk->choices[knob] = 0;
      sampler->is_assigned[knob] = false;
      if (depth == 0)
        walk->has_ended = true;
      else
        ++walk->choices[sampler->order[--depth]];
    } else if (!assign(sampler, depth, walk->choices, walk->choices[knob])) {
      ++walk->choices[knob];
    } else {
      ++depth; // deeper knobs stand at their first value
    }
  }
  if (walk->has_ended || depth < count) {
    walk->has_ended = true;
    return TUNE_OK;
  }
  memcpy(config->choices, walk->choices, count * sizeof *config->choices);
  *out_found = true;
  return TUNE_OK;
}
