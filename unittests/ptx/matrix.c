//===- matrix.c - mma.sync, ldmatrix, stmatrix, movmatrix
//------------------------------------------===//
//
// Where the elements of a fragment are, as the PTX ISA documents it. With g = lane / 4 and
// t = lane % 4, and e elements to a register (a half each of 2, a byte of 4, a tf32 or an f64 of
// 1):
//
//   A, register r, element i of it:  row g + 8 (r % 2), or g alone where there are 8 rows;
//                                    column 4 e (r / 2, or r) + t e + i
//   B, register r, element i:        row 4 e r + t e + i, column g
//   C and D, element j:              row g + 8 (j / 2), column 2 t + j % 2
//
// where two f16 of C and D share a register.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/rounding.h"
#include "unittests/ptx/run.h"

#include <math.h>

#define ROWS_MOST 16
#define COLUMNS 8
#define DEPTH_MOST 64

// What an mma is; the instruction's `more` points to one of a table.
typedef struct product {
  const char *shape;
  ptx_type a;
  unsigned rows, depth, a_registers, b_registers;
} product;

static const product products[] = {
    {"m16n8k16", PTX_F16, 16, 16, 4, 2},  {"m16n8k8", PTX_F16, 16, 8, 2, 1},
    {"m16n8k16", PTX_BF16, 16, 16, 4, 2}, {"m16n8k8", PTX_BF16, 16, 8, 2, 1},
    {"m16n8k8", PTX_TF32, 16, 8, 4, 2},   {"m16n8k4", PTX_TF32, 16, 4, 2, 1},
    {"m16n8k32", PTX_S8, 16, 32, 4, 2},   {"m16n8k16", PTX_S8, 16, 16, 2, 1},
    {"m8n8k16", PTX_S8, 8, 16, 1, 1},     {"m16n8k64", PTX_S4, 16, 64, 4, 2},
    {"m16n8k32", PTX_S4, 16, 32, 2, 1},   {"m8n8k32", PTX_S4, 8, 32, 1, 1},
    {"m16n8k32", PTX_E4M3, 16, 32, 4, 2}, {"m8n8k4", PTX_F64, 8, 4, 1, 1},
    {"m16n8k4", PTX_F64, 16, 4, 2, 1},    {"m16n8k8", PTX_F64, 16, 8, 4, 2},
    {"m16n8k16", PTX_F64, 16, 16, 8, 4},
};

// By what is summed over, then by row of A or column of B.
typedef double rows_tile[DEPTH_MOST][ROWS_MOST];
typedef double columns_tile[DEPTH_MOST][COLUMNS];

// Bits of an element of A or B; those of f64 have a register of their own.
static double element_value(ptx_type type, uint64_t bits, unsigned index) {
  unsigned width = ptx_type_bits(type);
  if (width == 64)
    return ptx_f64(bits);
  uint32_t part = (uint32_t)(bits & UINT32_MAX) >> index * width;
  switch (type) {
  case PTX_S8:
    return (int8_t)part;
  case PTX_U8:
    return (uint8_t)part;
  case PTX_S4:
    return (int)(part & 15) - (part & 8 ? 16 : 0);
  case PTX_U4:
    return part & 15;
  default:
    return ptx_decode(type, part & (width == 32 ? UINT32_MAX : (1u << width) - 1));
  }
}

// The elements of a fragment whose registers are in slot `slot` and on: `width` rows of A, or
// columns of B, to each of what is summed over.
static void read_fragment(const ptx_warp *warp, unsigned slot, unsigned registers, ptx_type type,
                          unsigned width, double *out, unsigned stride) {
  unsigned each = ptx_type_bits(type) == 64 ? 1 : 32 / ptx_type_bits(type), blocks = width / 8;
  for (unsigned lane = 0; lane < PTX_WARP; lane++) {
    const ptx_thread *t = warp->lanes[lane];
    for (unsigned r = 0; r < registers; r++) {
      uint64_t bits = t->r[t->waits->slot[slot + r]];
      unsigned across = lane / 4 + 8 * (r % blocks);
      unsigned first = 4 * each * (r / blocks) + lane % 4 * each;
      for (unsigned e = 0; e < each; e++)
        out[(first + e) * stride + across] = element_value(type, bits, e);
    }
  }
}

// Slots: those of D, A, B, C. `type`: of the accumulators; `from`, `space`: of A and B; `count`,
// `mode`: registers of D and elements in each.
static double accumulator(const ptx_instruction *i, uint64_t bits, unsigned index) {
  if (i->type == PTX_S32)
    return (int32_t)bits;
  return ptx_decode((ptx_type)i->type, i->type == PTX_F16 ? bits >> 16 * index & 0xffff : bits);
}

// Integers wrap around, or stop at the greatest with .satfinite (`flags`). Sums of products of
// halves are exact in a double but for those that lie far apart.
static uint64_t accumulated(const ptx_instruction *i, double value) {
  if (i->type != PTX_S32)
    return ptx_encode((ptx_type)i->type, value, PTX_NEAREST);
  if (i->flags)
    value = fmax(INT32_MIN, fmin(INT32_MAX, value));
  return (uint32_t)(int64_t)value;
}

// Adds the product to `sums`, in the order of what is summed over.
static void add_products(const product *p, const rows_tile a, const columns_tile b,
                         double sums[ROWS_MOST][COLUMNS]) {
  for (unsigned row = 0; row < p->rows; row++) {
    double sum[COLUMNS];
    memcpy(sum, sums[row], sizeof sum);
    for (unsigned k = 0; k < p->depth; k++)
      for (unsigned column = 0; column < COLUMNS; column++)
        sum[column] += a[k][row] * b[k][column];
    memcpy(sums[row], sum, sizeof sum);
  }
}

static unsigned row_of_element(unsigned lane, unsigned j) { return lane / 4 + 8 * (j / 2); }
static unsigned column_of_element(unsigned lane, unsigned j) { return lane % 4 * 2 + j % 2; }

static ptx_outcome multiply(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  const ptx_instruction *i = warp->lanes[0]->waits;
  const product *p = i->more;
  rows_tile a;
  columns_tile b;
  double sums[ROWS_MOST][COLUMNS];
  unsigned a_slot = i->count, b_slot = a_slot + p->a_registers, c_slot = b_slot + p->b_registers;
  read_fragment(warp, a_slot, p->a_registers, (ptx_type)i->from, p->rows, &a[0][0], ROWS_MOST);
  read_fragment(warp, b_slot, p->b_registers, (ptx_type)i->space, COLUMNS, &b[0][0], COLUMNS);
  for (unsigned lane = 0; lane < PTX_WARP; lane++)
    for (unsigned j = 0; j < i->count * i->mode; j++)
      sums[row_of_element(lane, j)][column_of_element(lane, j)] =
          accumulator(i, warp->lanes[lane]->r[i->slot[c_slot + j / i->mode]], j % i->mode);
  add_products(p, a, b, sums);
  for (unsigned lane = 0; lane < PTX_WARP; lane++)
    for (unsigned r = 0; r < i->count; r++) {
      uint64_t bits = 0;
      for (unsigned e = 0; e < i->mode; e++) {
        unsigned j = r * i->mode + e;
        bits |= accumulated(i, sums[row_of_element(lane, j)][column_of_element(lane, j)]) << 16 * e;
      }
      warp->lanes[lane]->r[i->slot[r]] = bits;
    }
  return PTX_GO;
}

static const product *find_product(const char *shape, ptx_type a) {
  ptx_type like = a == PTX_U8 ? PTX_S8 : a == PTX_U4 ? PTX_S4 : a == PTX_E5M2 ? PTX_E4M3 : a;
  for (size_t k = 0; k < sizeof products / sizeof *products; k++)
    if (!strcmp(products[k].shape, shape) && products[k].a == like)
      return &products[k];
  return NULL;
}

static void use_fragment(ptx_operation *op, unsigned operand, unsigned registers, ptx_type type,
                         unsigned slot, bool is_result) {
  if (operand >= op->operand_count || op->operands[operand].count != registers) {
    ptx_refuse(op, "operand %u of the mma has to have %u registers", operand + 1, registers);
    return;
  }
  for (unsigned k = 0; k < registers; k++)
    (is_result ? ptx_define_element : ptx_use_element)(op, operand, k, type, slot + k);
}

static void bind_mma(ptx_operation *op) {
  static const char *const shapes[] = {"m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64",
                                       "m8n8k4",  "m8n8k16", "m8n8k32",  NULL};
  ptx_instruction *i = op->instruction;
  int shape = ptx_take_one_of(op, shapes);
  if (!ptx_take(op, "sync") || !ptx_take(op, "aligned") || shape < 0 || !ptx_take(op, "row") ||
      !ptx_take(op, "col"))
    return;
  i->flags = ptx_take(op, "satfinite");
  ptx_type d = ptx_take_type(op), a = ptx_take_type(op), b = ptx_take_type(op),
           c = ptx_take_type(op);
  const product *p = find_product(shapes[shape], a);
  bool is_integer = a == PTX_S8 || a == PTX_U8 || a == PTX_S4 || a == PTX_U4;
  bool fits = is_integer     ? d == PTX_S32
              : a == PTX_F64 ? d == PTX_F64
                             : d == PTX_F32 || (d == PTX_F16 && a != PTX_BF16 && a != PTX_TF32);
  if (!p || !fits || c != d || !find_product(shapes[shape], b) ||
      find_product(shapes[shape], b)->a != p->a ||
      (!is_integer && a != PTX_E4M3 && a != PTX_E5M2 && a != b) || !ptx_expect_operands(op, 4, 4))
    return;
  unsigned elements = p->rows * COLUMNS / PTX_WARP;
  i->mode = d == PTX_F16 ? 2 : 1;
  i->count = elements / i->mode;
  i->type = (uint8_t)d;
  i->from = (uint8_t)a;
  i->space = (uint8_t)b;
  i->more = p;
  ptx_type accumulators = d == PTX_F64 ? PTX_F64 : PTX_B32;
  ptx_type factors = a == PTX_F64 ? PTX_F64 : PTX_B32;
  unsigned a_slot = i->count, b_slot = a_slot + p->a_registers, c_slot = b_slot + p->b_registers;
  use_fragment(op, 0, i->count, accumulators, 0, true);
  use_fragment(op, 1, p->a_registers, factors, a_slot, false);
  use_fragment(op, 2, p->b_registers, factors, b_slot, false);
  use_fragment(op, 3, i->count, accumulators, c_slot, false);
  i->collective = multiply;
  i->execute = ptx_wait_warp;
}

// Rows of 16 bytes: lane 8 m + r has the address of row r of matrix m.
static uint8_t *row_of(ptx_warp *warp, unsigned matrix, unsigned row, unsigned access) {
  ptx_thread *t = warp->lanes[8 * matrix + row];
  return ptx_locate(t, t->waits, (ptx_space)t->waits->space, ptx_address(t, t->waits, 0), 16,
                    access);
}

// Lane l has elements 2 (l % 4) and the next of row l / 4, or of that column (`flags`).
static void element_place(unsigned lane, unsigned half, bool is_transposed, unsigned *out_row,
                          unsigned *out_column) {
  unsigned along = lane % 4 * 2 + half, across = lane / 4;
  *out_row = is_transposed ? along : across;
  *out_column = is_transposed ? across : along;
}

// Of 16 bytes of shared memory each: how many times more than once their banks, 8 lines of 16 bytes
// beside each other, have to be read for all.
static unsigned count_conflicts(const uint8_t *const rows[8], const uint8_t *shared) {
  unsigned uses[8] = {0}, most = 1;
  for (unsigned r = 0; r < 8; r++) {
    unsigned same = 0;
    while (rows[same] != rows[r])
      same++;
    unsigned *bank = &uses[(size_t)(rows[r] - shared) / 16 % 8];
    *bank += same == r; // what several ask for is read once
    most = *bank > most ? *bank : most;
  }
  return most - 1;
}

static ptx_outcome load_matrices(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  const ptx_instruction *i = warp->lanes[0]->waits;
  uint32_t results[PTX_WARP][4];
  for (unsigned m = 0; m < i->count; m++) {
    uint16_t rows[8][8];
    const uint8_t *places[8];
    for (unsigned r = 0; r < 8; r++) {
      places[r] = row_of(warp, m, r, PTX_READ);
      if (!places[r])
        return PTX_STOP;
      memcpy(rows[r], places[r], 16);
    }
    const ptx_group *group = warp->lanes[0]->group;
    group->run->report->bank_conflicts += count_conflicts(places, group->shared);
    // The address of a later matrix may be in a register that is written here, so these wait.
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
      uint32_t value = 0;
      for (unsigned half = 0; half < 2; half++) {
        unsigned row, column;
        element_place(lane, half, i->flags, &row, &column);
        value |= (uint32_t)rows[row][column] << 16 * half;
      }
      results[lane][m] = value;
    }
  }
  for (unsigned lane = 0; lane < PTX_WARP; lane++)
    for (unsigned m = 0; m < i->count; m++)
      warp->lanes[lane]->r[i->slot[1 + m]] = results[lane][m];
  return PTX_GO;
}

static ptx_outcome store_matrices(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  const ptx_instruction *i = warp->lanes[0]->waits;
  for (unsigned m = 0; m < i->count; m++)
    for (unsigned r = 0; r < 8; r++) {
      uint8_t *to = row_of(warp, m, r, PTX_WRITE);
      if (!to)
        return PTX_STOP;
      for (unsigned lane = 0; lane < PTX_WARP; lane++)
        for (unsigned half = 0; half < 2; half++) {
          unsigned row, column;
          element_place(lane, half, i->flags, &row, &column);
          uint16_t value = (uint16_t)(warp->lanes[lane]->r[i->slot[1 + m]] >> 16 * half);
          if (row == r)
            memcpy(to + 2 * column, &value, sizeof value);
        }
    }
  return PTX_GO;
}

static void bind_matrices(ptx_operation *op, bool is_load) {
  static const char *const counts[] = {"x1", "x2", "x4", NULL};
  ptx_instruction *i = op->instruction;
  if (!ptx_take(op, "sync") || !ptx_take(op, "aligned") || !ptx_take(op, "m8n8"))
    return;
  int count = ptx_take_one_of(op, counts);
  i->flags = ptx_take(op, "trans");
  i->space = (uint8_t)ptx_take_space(op);
  if (count < 0 || ptx_take_type(op) != PTX_B16 || !ptx_expect_operands(op, 2, 2) ||
      (i->space != PTX_SHARED && i->space != PTX_GENERIC))
    return;
  i->count = 1u << count;
  ptx_use_address(op, is_load ? 1 : 0, 0);
  use_fragment(op, is_load ? 0 : 1, i->count, PTX_B32, 1, is_load);
  i->collective = is_load ? load_matrices : store_matrices;
  i->execute = ptx_wait_warp;
}

static void bind_load_matrices(ptx_operation *op) { bind_matrices(op, true); }
static void bind_store_matrices(ptx_operation *op) { bind_matrices(op, false); }

// An 8x8 matrix of b16 transposed in registers.
static ptx_outcome transpose(ptx_warp *warp, uint32_t mask) {
  (void)mask;
  const ptx_instruction *i = warp->lanes[0]->waits;
  uint16_t rows[8][8];
  for (unsigned lane = 0; lane < PTX_WARP; lane++)
    for (unsigned half = 0; half < 2; half++)
      rows[lane / 4][lane % 4 * 2 + half] =
          (uint16_t)(warp->lanes[lane]->r[i->slot[1]] >> 16 * half);
  for (unsigned lane = 0; lane < PTX_WARP; lane++)
    warp->lanes[lane]->r[i->slot[0]] =
        rows[lane % 4 * 2][lane / 4] | (uint32_t)rows[lane % 4 * 2 + 1][lane / 4] << 16;
  return PTX_GO;
}

static void bind_transpose(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  if (!ptx_take(op, "sync") || !ptx_take(op, "aligned") || !ptx_take(op, "m8n8") ||
      !ptx_take(op, "trans") || ptx_take_type(op) != PTX_B16 || !ptx_expect_operands(op, 2, 2))
    return;
  ptx_define(op, 0, PTX_B32, 0);
  ptx_use(op, 1, PTX_B32, 1);
  i->collective = transpose;
  i->execute = ptx_wait_warp;
}

const ptx_binding ptx_matrix_bindings[] = {{"mma", bind_mma},
                                           {"ldmatrix", bind_load_matrices},
                                           {"stmatrix", bind_store_matrices},
                                           {"movmatrix", bind_transpose},
                                           {NULL, NULL}};
