/** Where joints go when the skeleton is posed: each turns against its parent, from the rest pose. */
import { Quaternion, Vector3 } from "three";
import type { Deform } from "../net/types";

export function posedJoints({ joints, pose }: Deform): Float32Array {
  const turns: Quaternion[] = [];
  const places: Vector3[] = [];
  joints.forEach(({ parent, place }, i) => {
    const own = turnOf(pose[i] ?? [0, 0, 0]);
    const here = new Vector3(...place);
    if (parent === null || parent >= i) {
      turns.push(own);
      places.push(here);
      return;
    }
    const offset = here.sub(new Vector3(...joints[parent].place));
    places.push(offset.applyQuaternion(turns[parent]).add(places[parent]));
    turns.push(turns[parent].clone().multiply(own));
  });
  return Float32Array.from(places.flatMap((place) => place.toArray()));
}

export function turnOf([x, y, z]: readonly number[]): Quaternion {
  const degrees = Math.hypot(x, y, z);
  if (degrees === 0) return new Quaternion();
  return new Quaternion().setFromAxisAngle(
    new Vector3(x, y, z).divideScalar(degrees),
    (degrees * Math.PI) / 180,
  );
}

/** The axis times degrees of a turn. */
export function degreesOf(turn: Quaternion): [number, number, number] {
  const q = turn.w < 0 ? new Quaternion(-turn.x, -turn.y, -turn.z, -turn.w) : turn;
  const sine = Math.hypot(q.x, q.y, q.z);
  if (sine === 0) return [0, 0, 0];
  const degrees = (2 * Math.atan2(sine, q.w) * 180) / Math.PI;
  return [(q.x / sine) * degrees, (q.y / sine) * degrees, (q.z / sine) * degrees];
}
