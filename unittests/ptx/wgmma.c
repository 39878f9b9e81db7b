//===- wgmma.c - Products of warp groups, which arrive when they are waited for
//-----------------------------===//
//
// wgmma.mma_async of f16, bf16 and tf32 into f32, and of s8 into s32, both operands in shared
// memory, as the PTX ISA has it in "Asynchronous Warpgroup Level Matrix Instructions". Warp w of a
// warp group has rows 16 w to 16 w + 15 of D, and executes its part alone; that the four do the
// same is checked.
//
// From the instruction until it is waited for
//   - the accumulators may not be touched, but by another product into the same ones;
//   - shared memory that it reads may not be written.
// What the proxy of asynchronous accesses reads must have been followed, by who wrote it in the
// ordinary way, by fence.proxy.async. The first product after all have arrived has wgmma.fence
// before it.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/rounding.h"
#include "unittests/ptx/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS = 16,
  DEPTH_MOST = 32,
  DEPTH_BYTES = 32,
  COLUMNS_MOST = 256,
  GROUP_WARPS = 4,
  REGISTERS_MOST = 128
};

// What an instruction is; its `more`. Slots: both descriptors, scale-d.
typedef struct wgmma {
  ptx_type type;  // of A and B
  ptx_type sum;   // of D
  unsigned bytes; // of an element of theirs
  unsigned depth, columns;
  double a_scale, b_scale;
  bool a_is_turned, b_is_turned; // neighbours are along M, and along N
  uint32_t registers[REGISTERS_MOST];
  unsigned register_count;
} wgmma;

//===- Operands in shared memory --------------------------------------------------------===//

// "Matrix Descriptor Format".
typedef struct descriptor {
  uint32_t start, leading, stride; // bytes
  unsigned base_offset, swizzle;   // swizzle: 0, or 1, 2, 3 for rows of 128, 64, 32 bytes
} descriptor;

static descriptor read_descriptor(uint64_t bits) {
  return (descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                      .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                      .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                      .base_offset = (unsigned)(bits >> 49 & 7),
                      .swizzle = (unsigned)(bits >> 62)};
}

// Bits 4 and up of an address are changed by those from 7 on: three of them with rows of 128 bytes,
// two with 64, one with 32.
uint32_t ptx_swizzle(uint32_t address, unsigned row_bytes) {
  uint32_t mask = row_bytes / 16 - 1;
  return address ^ (address >> 7 & mask) << 4;
}

// Where element `line` (a row of A, a column of B), of `bytes`, of depth `k` is: "Strides", in the
// canonical layouts of the PTX ISA.
static uint32_t address_of(const descriptor *d, unsigned bytes, bool is_turned, unsigned line,
                           unsigned k) {
  uint32_t address = d->start;
  if (!d->swizzle) { // core matrices of 8 rows of 16 bytes, one behind the other
    unsigned row = is_turned ? k : line, column = bytes * (is_turned ? line : k);
    address += row % 8 * 16 + column % 16;
    return address + (is_turned ? column / 16 * d->stride + row / 8 * d->leading
                                : row / 8 * d->stride + column / 16 * d->leading);
  }
  unsigned width = 256u >> d->swizzle;
  if (is_turned)
    address += bytes * line / width * d->leading + bytes * line % width + k % 8 * width +
               k / 8 * d->stride;
  else
    address += line / 8 * d->stride + line % 8 * width + bytes * k;
  return ptx_swizzle(address, width);
}

static ptx_outcome check_descriptor(ptx_thread *t, const ptx_instruction *i, uint64_t bits) {
  descriptor d = read_descriptor(bits);
  if (bits >> 14 & 3 || bits >> 30 & 3 || bits >> 46 & 7 || bits >> 52 & 0x3ff)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "descriptor 0x%llx has bits that have no meaning",
                    (unsigned long long)bits);
  uint32_t rows = d.swizzle ? (256u >> d.swizzle) / 16 - 1 : 0;
  if (d.base_offset || d.start >> 7 & rows)
    return ptx_fail(t, i, PTX_FAULT_MISALIGNED,
                    "descriptor 0x%llx: a pattern of swizzles begins in the middle (base offsets "
                    "are not known here)",
                    (unsigned long long)bits);
  return PTX_GO;
}

// What `visit` is told: each 16 bytes that the warp reads of an operand, once.
typedef ptx_outcome (*visit_chunk)(ptx_thread *t, const ptx_instruction *i, uint32_t start);

static ptx_outcome for_each_chunk(ptx_thread *t, const ptx_instruction *i, uint64_t bits,
                                  bool is_turned, unsigned first, unsigned count,
                                  visit_chunk visit) {
  const wgmma *w = i->more;
  descriptor d = read_descriptor(bits);
  ptx_outcome outcome = PTX_GO;
  unsigned chunk = 16 / w->bytes;
  for (unsigned line = first; line < first + count; line += is_turned ? chunk : 1)
    for (unsigned k = 0; k < w->depth && outcome == PTX_GO; k += is_turned ? 1 : chunk)
      outcome = visit(t, i, address_of(&d, w->bytes, is_turned, line, k));
  return outcome;
}

static ptx_outcome for_all_chunks(ptx_thread *t, const ptx_product *p, visit_chunk visit) {
  const wgmma *w = p->instruction->more;
  unsigned row = t->index / PTX_WARP % GROUP_WARPS * ROWS;
  ptx_outcome outcome = for_each_chunk(t, p->instruction, p->a, w->a_is_turned, row, ROWS, visit);
  if (outcome == PTX_GO)
    outcome = for_each_chunk(t, p->instruction, p->b, w->b_is_turned, 0, w->columns, visit);
  return outcome;
}

static ptx_outcome begin_read(ptx_thread *t, const ptx_instruction *i, uint32_t address) {
  uint8_t *bytes = ptx_locate(t, i, PTX_SHARED, address, 16, PTX_READ);
  if (!bytes)
    return PTX_STOP;
  return ptx_shadow_lend(t, i, (uint32_t)(bytes - t->group->shared), 16);
}

static ptx_outcome end_read(ptx_thread *t, const ptx_instruction *i, uint32_t address) {
  (void)i;
  ptx_shadow_give_back(t->group, address - PTX_SHARED_START, 16);
  return PTX_GO;
}

//===- Products -------------------------------------------------------------------------===//

// Of words of 32 bits the lower ones, which a tf32 has not, are not looked at.
static void read_tile(const ptx_thread *t, const wgmma *w, uint64_t bits, bool is_turned,
                      unsigned first, unsigned count, double scale, double (*out)[DEPTH_MOST]) {
  descriptor d = read_descriptor(bits);
  for (unsigned line = 0; line < count; line++)
    for (unsigned k = 0; k < w->depth; k++) {
      uint32_t value = 0;
      uint32_t address = address_of(&d, w->bytes, is_turned, first + line, k);
      memcpy(&value, t->group->shared + (address - PTX_SHARED_START), w->bytes);
      out[line][k] = w->type == PTX_S8 ? (int8_t)value : scale * ptx_decode(w->type, value);
    }
}

// Register r of a lane: row lane / 4, and 8 rows on where bit 1 of r is set; column 8 (r / 4) +
// 2 (lane % 4) + r % 2 ("Register Fragments for wgmma.mma_async.m64nNk16", matrix D).
static ptx_outcome arrive(ptx_warp *warp, const ptx_product *p) {
  static double a[ROWS][DEPTH_MOST], b[COLUMNS_MOST][DEPTH_MOST]; // one thread at a time per module
  const wgmma *w = p->instruction->more;
  ptx_thread *first = warp->lanes[0];
  unsigned row = first->index / PTX_WARP % GROUP_WARPS * ROWS;
  read_tile(first, w, p->a, w->a_is_turned, row, ROWS, w->a_scale, a);
  read_tile(first, w, p->b, w->b_is_turned, 0, w->columns, w->b_scale, b);
  for (unsigned lane = 0; lane < PTX_WARP; lane++)
    for (unsigned r = 0; r < w->register_count; r++) {
      uint64_t *d = &warp->lanes[lane]->r[w->registers[r]];
      const double *a_row = a[lane / 4 + (r & 2 ? 8 : 0)],
                   *b_column = b[r / 4 * 8 + lane % 4 * 2 + r % 2];
      bool is_integer = w->sum == PTX_S32; // whose sums wrap around
      double sum = !p->keeps ? 0 : is_integer ? (int32_t)*d : ptx_decode(PTX_F32, *d & UINT32_MAX);
      for (unsigned k = 0; k < w->depth; k++)
        sum += a_row[k] * b_column[k];
      *d = is_integer ? (uint32_t)(int64_t)sum : ptx_encode(PTX_F32, sum, PTX_NEAREST);
    }
  return for_all_chunks(first, p, end_read);
}

// Whether the registers are free, or are those of a product of the same shape that is on its way.
static bool are_same_or_free(const ptx_warp *warp, const wgmma *w) {
  bool is_busy = false;
  for (unsigned r = 0; r < w->register_count; r++)
    is_busy |= warp->busy[w->registers[r]] & PTX_BUSY;
  if (!is_busy)
    return true;
  for (size_t k = warp->product_count; k--;) {
    const wgmma *other = warp->products[k].instruction->more;
    if (other->register_count == w->register_count &&
        !memcmp(other->registers, w->registers, w->register_count * sizeof *w->registers))
      return true;
  }
  return false;
}

static bool are_touched(const ptx_warp *warp, const wgmma *w) {
  bool is_touched = false;
  for (unsigned r = 0; r < w->register_count; r++)
    is_touched |= warp->busy[w->registers[r]] & PTX_TOUCHED;
  return is_touched;
}

// The four warps do the same, one after the other.
static ptx_outcome check_group(ptx_thread *t, const ptx_product *p) {
  ptx_group *group = t->group;
  uint32_t number = t->index / PTX_WARP / GROUP_WARPS;
  if ((number + 1) * GROUP_WARPS * PTX_WARP > group->thread_count)
    return ptx_fail(t, p->instruction, PTX_FAULT_TRAP, "its warp group has fewer than four warps");
  const ptx_warp *leader = &group->warps[number * GROUP_WARPS], *own = t->warp;
  if (leader == own || leader->issued <= own->issued) // which may be ahead, or behind
    return PTX_GO;
  const ptx_product *same = &leader->history[own->issued];
  if (same->instruction != p->instruction || same->a != p->a || same->b != p->b)
    return ptx_fail(t, p->instruction, PTX_FAULT_TRAP,
                    "the first warp of its warp group does another product here, or has other "
                    "descriptors");
  return PTX_GO;
}

static ptx_outcome check_issue(ptx_warp *warp, const ptx_product *p) {
  const ptx_instruction *i = p->instruction;
  ptx_thread *t = warp->lanes[0];
  for (unsigned lane = 0; lane < PTX_WARP; lane++) {
    const ptx_thread *other = warp->lanes[lane];
    if (other->r[i->slot[0]] != p->a || other->r[i->slot[1]] != p->b ||
        (other->r[i->slot[2]] & 1) != p->keeps)
      return ptx_fail(t, i, PTX_FAULT_TRAP, "lane %u of the warp has other operands", lane);
  }
  if (!warp->is_fenced)
    return ptx_fail(t, i, PTX_FAULT_RACE, "no wgmma.fence since products were last waited for");
  if (are_touched(warp, i->more))
    return ptx_fail(t, i, PTX_FAULT_RACE, "accumulators were touched after wgmma.fence");
  if (!are_same_or_free(warp, i->more))
    return ptx_fail(t, i, PTX_FAULT_RACE,
                    "some accumulators are those of another product that is on its way");
  if (check_descriptor(t, i, p->a) != PTX_GO || check_descriptor(t, i, p->b) != PTX_GO)
    return PTX_STOP;
  return check_group(t, p);
}

static ptx_outcome multiply(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  ptx_thread *t = warp->lanes[0];
  const ptx_instruction *i = t->waits;
  const wgmma *w = i->more;
  ptx_product product = {.instruction = i,
                         .a = t->r[i->slot[0]],
                         .b = t->r[i->slot[1]],
                         .keeps = t->r[i->slot[2]] & 1};
  if (!ptx_grow(&warp->products, warp->product_count, sizeof *warp->products) ||
      !ptx_grow(&warp->history, warp->issued, sizeof *warp->history))
    return ptx_fail(t, i, PTX_FAULT_MEMORY, "no memory for the product");
  if (check_issue(warp, &product) != PTX_GO || for_all_chunks(t, &product, begin_read) != PTX_GO)
    return PTX_STOP;
  for (unsigned r = 0; r < w->register_count; r++)
    warp->busy[w->registers[r]] |= PTX_BUSY;
  warp->products[warp->product_count++] = product;
  warp->history[warp->issued++] = product;
  return PTX_GO;
}

static ptx_outcome fence(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  const ptx_thread *t = warp->lanes[0];
  size_t slots = t->frame->function->slot_count;
  if (t->frame->caller)
    return ptx_fail(warp->lanes[0], t->waits, PTX_FAULT_TRAP,
                    "products in functions that are called are not known");
  if (!warp->busy)
    warp->busy = calloc(slots, sizeof *warp->busy);
  if (!warp->busy)
    return ptx_fail(warp->lanes[0], t->waits, PTX_FAULT_MEMORY, "no memory for products");
  for (size_t k = 0; k < slots; k++)
    warp->busy[k] &= (uint8_t)~PTX_TOUCHED;
  warp->is_fenced = true;
  return PTX_GO;
}

static ptx_outcome commit(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  warp->product_commits++;
  for (size_t k = 0; k < warp->product_count; k++)
    if (!warp->products[k].committed)
      warp->products[k].committed = warp->product_commits;
  return PTX_GO;
}

// All groups but the last `count` ones.
static ptx_outcome wait_group(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  uint32_t count = warp->lanes[0]->waits->count;
  uint32_t last = warp->product_commits > count ? warp->product_commits - count : 0;
  size_t done = 0;
  while (done < warp->product_count && warp->products[done].committed &&
         warp->products[done].committed <= last)
    if (arrive(warp, &warp->products[done++]) != PTX_GO)
      return PTX_STOP;
  if (!done)
    return PTX_GO;
  warp->product_count -= done;
  memmove(warp->products, warp->products + done, warp->product_count * sizeof *warp->products);
  for (size_t k = 0; k < warp->lanes[0]->frame->function->slot_count; k++)
    warp->busy[k] &= (uint8_t)~PTX_BUSY;
  for (size_t k = 0; k < warp->product_count; k++) {
    const wgmma *w = warp->products[k].instruction->more;
    for (unsigned r = 0; r < w->register_count; r++)
      warp->busy[w->registers[r]] |= PTX_BUSY;
  }
  warp->is_fenced &= warp->product_count > 0;
  return PTX_GO;
}

ptx_outcome ptx_products_touch(ptx_thread *t, const ptx_instruction *i) {
  if (t->frame->caller)
    return PTX_GO;
  for (unsigned k = 0; k < PTX_OPERANDS; k++) {
    uint8_t *busy = &t->warp->busy[i->slot[k]];
    if (*busy & PTX_BUSY)
      return ptx_fail(t, i, PTX_FAULT_RACE,
                      "touches an accumulator of a wgmma.mma_async that has not been waited for");
    *busy |= PTX_TOUCHED;
  }
  return PTX_GO;
}

//===- Reading --------------------------------------------------------------------------===//

static double take_scale(ptx_operation *op, unsigned index) {
  int64_t scale = (int64_t)ptx_literal(op, index);
  if (scale != 1 && scale != -1)
    ptx_refuse(op, "a matrix is taken 1 or -1 times");
  return (double)scale;
}

static bool take_turned(ptx_operation *op, unsigned index) {
  uint64_t turned = ptx_literal(op, index);
  if (turned > 1)
    ptx_refuse(op, "a matrix is turned (1) or not (0)");
  return turned;
}

static unsigned take_columns(ptx_operation *op, unsigned *out_depth) {
  for (unsigned part = 1; part < op->part_count; part++) {
    unsigned columns;
    char rest;
    if (sscanf(op->parts[part], "m64n%uk%u%c", &columns, out_depth, &rest) == 2 &&
        columns % 8 == 0 && columns && columns <= COLUMNS_MOST && ptx_take(op, op->parts[part]))
      return columns;
  }
  return 0;
}

static void bind_multiply(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  unsigned depth, columns = take_columns(op, &depth);
  ptx_type sum = ptx_take_type(op), a = ptx_take_type(op), b = ptx_take_type(op);
  bool is_tf32 = a == PTX_TF32, is_byte = a == PTX_S8;
  // Of bytes none is turned or taken -1 times, of tf32 none turned, and nothing says so.
  unsigned bytes = is_tf32 ? 4 : is_byte ? 1 : 2, count = is_tf32 ? 6 : is_byte ? 4 : 8;
  if (!columns || sum != (is_byte ? PTX_S32 : PTX_F32) || a != b ||
      (a != PTX_F16 && a != PTX_BF16 && !is_tf32 && !is_byte) || depth != DEPTH_BYTES / bytes ||
      !ptx_expect_operands(op, count, count))
    return;
  wgmma *w = ptx_function_keep(op, sizeof *w);
  if (!w)
    return;
  w->type = a;
  w->sum = sum;
  w->bytes = bytes;
  w->depth = depth;
  w->columns = columns;
  w->register_count = columns / 2;
  if (op->operands[0].count != w->register_count) {
    ptx_refuse(op, "the accumulators have to be %u registers", w->register_count);
    return;
  }
  for (unsigned r = 0; r < w->register_count; r++) {
    ptx_define_element(op, 0, r, is_byte ? PTX_S32 : PTX_F32, 3);
    w->registers[r] = i->slot[3];
  }
  i->slot[3] = PTX_SLOT_ONE;
  ptx_use(op, 1, PTX_B64, 0);
  ptx_use(op, 2, PTX_B64, 1);
  ptx_use(op, 3, PTX_PRED, 2);
  w->a_scale = count > 4 ? take_scale(op, 4) : 1;
  w->b_scale = count > 4 ? take_scale(op, 5) : 1;
  w->a_is_turned = count > 6 && take_turned(op, 6);
  w->b_is_turned = count > 6 && take_turned(op, 7);
  i->more = w;
  i->collective = multiply;
}

static void bind_wgmma(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  bool multiplies = ptx_take(op, "mma_async"), fences = ptx_take(op, "fence"),
       commits = ptx_take(op, "commit_group");
  if (!ptx_take(op, "sync") || !ptx_take(op, "aligned"))
    return;
  if (!ptx_is_for(op, 90)) {
    ptx_refuse(op, "wgmma is there with .target sm_90a alone");
  } else if (multiplies) {
    bind_multiply(op);
  } else if (fences || commits) {
    ptx_expect_operands(op, 0, 0);
    i->collective = fences ? fence : commit;
  } else if (ptx_take(op, "wait_group") && ptx_expect_operands(op, 1, 1)) {
    i->count = (uint32_t)ptx_literal(op, 0);
    i->collective = wait_group;
  }
  if (i->collective)
    i->execute = ptx_wait_warp;
}

const ptx_binding ptx_wgmma_bindings[] = {{"wgmma", bind_wgmma}, {NULL, NULL}};
