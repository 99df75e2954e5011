/** Vertex normals: the sum of the normals of the triangles around, large triangles counting more. */
export function normalsOf(positions: Float32Array, corners: Uint32Array, out: Float32Array): void {
  out.fill(0);
  for (let i = 0; i < corners.length; i += 3) {
    const a = corners[i] * 3;
    const b = corners[i + 1] * 3;
    const c = corners[i + 2] * 3;
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    for (let k = 0; k < 3; k++) {
      const at = corners[i + k] * 3;
      out[at] += x;
      out[at + 1] += y;
      out[at + 2] += z;
    }
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    out[i] /= length;
    out[i + 1] /= length;
    out[i + 2] /= length;
  }
}
