// C = A B for each of a batch: an invocation has 8x8 values of C, the columns as two vec4. K is a
// multiple of 4, N of 8; rows beyond M are computed from the last one, and not written.
override M: u32;
override N: u32;
override K: u32;

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;

@compute @workgroup_size(8, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x * 2u;
  if (column * 4u >= N) {
    return;
  }
  let n4 = N / 4u;
  let k4 = K / 4u;
  let row = id.y * 8u;
  let a_base = id.z * M * k4;
  let b_base = id.z * K * n4 + column;
ACCUMULATORS
  for (var k = 0u; k < k4; k++) {
    let at = b_base + k * 4u * n4;
LOADS
ROWS
  }
STORES
}
