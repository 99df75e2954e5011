/** How far points reach. */
import { Vector3 } from "three";

/** Middle and size of points along three axes. */
export function extentOf(points: Float32Array, axes: Vector3[]): { center: Vector3; size: number[] } {
  const center = new Vector3();
  const size = axes.map((axis) => {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < points.length; i += 3) {
      const along = points[i] * axis.x + points[i + 1] * axis.y + points[i + 2] * axis.z;
      low = Math.min(low, along);
      high = Math.max(high, along);
    }
    center.addScaledVector(axis, (low + high) / 2);
    return high - low;
  });
  return { center, size };
}

/** Where the ground is: the lowest point. */
export function floorOf(rest: Float32Array, up: "y" | "z"): number {
  let least = Infinity;
  for (let i = up === "y" ? 1 : 2; i < rest.length; i += 3) least = Math.min(least, rest[i]);
  return Number.isFinite(least) ? least : 0;
}
