/**
 * Where a ray meets a surface first: every triangle is asked, which takes a few milliseconds for a large
 * mesh.
 */
import type { Ray } from "three";

export interface Hit {
  vertex: number;
  point: [number, number, number];
  distance: number;
}

export function pick(ray: Ray, positions: Float32Array, corners: Uint32Array): Hit | null {
  const o = ray.origin;
  const d = ray.direction;
  let nearest = Infinity;
  let triangle = -1;
  for (let i = 0; i < corners.length; i += 3) {
    const t = meets(
      o.x,
      o.y,
      o.z,
      d.x,
      d.y,
      d.z,
      positions,
      corners[i] * 3,
      corners[i + 1] * 3,
      corners[i + 2] * 3,
    );
    if (t > 0 && t < nearest) {
      nearest = t;
      triangle = i;
    }
  }
  if (triangle < 0) return null;
  const point: [number, number, number] = [o.x + d.x * nearest, o.y + d.y * nearest, o.z + d.z * nearest];
  return { vertex: closestCorner(point, positions, corners, triangle), point, distance: nearest };
}

/**
 * Distance along the ray to a triangle, from either side; negative where it misses (Möller and Trumbore
 * 1997).
 */
function meets(
  ox: number,
  oy: number,
  oz: number,
  dx: number,
  dy: number,
  dz: number,
  p: Float32Array,
  a: number,
  b: number,
  c: number,
): number {
  const ax = p[a],
    ay = p[a + 1],
    az = p[a + 2];
  const ux = p[b] - ax,
    uy = p[b + 1] - ay,
    uz = p[b + 2] - az;
  const vx = p[c] - ax,
    vy = p[c + 1] - ay,
    vz = p[c + 2] - az;
  const px = dy * vz - dz * vy,
    py = dz * vx - dx * vz,
    pz = dx * vy - dy * vx;
  const determinant = ux * px + uy * py + uz * pz;
  if (determinant === 0) return -1;
  const sx = ox - ax,
    sy = oy - ay,
    sz = oz - az;
  const first = (sx * px + sy * py + sz * pz) / determinant;
  if (first < 0 || first > 1) return -1;
  const qx = sy * uz - sz * uy,
    qy = sz * ux - sx * uz,
    qz = sx * uy - sy * ux;
  const second = (dx * qx + dy * qy + dz * qz) / determinant;
  if (second < 0 || first + second > 1) return -1;
  return (vx * qx + vy * qy + vz * qz) / determinant;
}

function closestCorner(
  point: [number, number, number],
  p: Float32Array,
  corners: Uint32Array,
  triangle: number,
): number {
  let best = corners[triangle];
  let least = Infinity;
  for (let k = 0; k < 3; k++) {
    const v = corners[triangle + k];
    const far = Math.hypot(p[v * 3] - point[0], p[v * 3 + 1] - point[1], p[v * 3 + 2] - point[2]);
    if (far < least) {
      least = far;
      best = v;
    }
  }
  return best;
}

/** Vertices within a ball. */
export function within(positions: Float32Array, center: readonly number[], radius: number): number[] {
  const inside: number[] = [];
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i] - center[0];
    const y = positions[i + 1] - center[1];
    const z = positions[i + 2] - center[2];
    if (x * x + y * y + z * z <= radius * radius) inside.push(i / 3);
  }
  return inside;
}
