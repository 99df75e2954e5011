/**
 * A rig as the page plays it: p = Σ_b w_b T_b (rest + Σ_r u_r q_r), with T_b affine. The same formula runs on
 * the GPU (viewer/surface.glsl.ts); here it is for picking, for brushes and for tests.
 */
export interface RigArrays {
  vertices: number;
  bones: number;
  influences: number;
  rank: number;
  frames: number;
  /** x y z of every vertex. */
  rest: Float32Array;
  /** Bone of every slot, `influences` per vertex. */
  indices: Uint16Array;
  weights: Float32Array;
  /** Correction shapes: shape after shape, x y z of every vertex. */
  basis: Float32Array;
  /** Frame after frame, bone after bone: 3x4 by rows. */
  palettes: Float32Array;
  /** Frame after frame, one per correction shape. */
  coefficients: Float32Array;
}

/** What moves a rig in one frame. */
export interface Palette {
  transforms: Float32Array;
  coefficients: Float32Array;
}

export class Rig {
  private middles: Float32Array | null = null;

  constructor(readonly arrays: RigArrays) {}

  palette(frame: number): Palette {
    const { palettes, coefficients, bones, rank } = this.arrays;
    return {
      transforms: palettes.subarray(frame * bones * 12, (frame + 1) * bones * 12),
      coefficients: coefficients.subarray(frame * rank, (frame + 1) * rank),
    };
  }

  /** Positions under a palette, with or without corrections. */
  skin(palette: Palette, corrected: boolean, out: Float32Array): Float32Array {
    const { vertices, influences, indices, weights } = this.arrays;
    const m = palette.transforms;
    const point = [0, 0, 0];
    for (let v = 0; v < vertices; v++) {
      this.corrected(v, palette.coefficients, corrected, point);
      const [x, y, z] = point;
      let px = 0;
      let py = 0;
      let pz = 0;
      for (let slot = v * influences; slot < (v + 1) * influences; slot++) {
        const w = weights[slot];
        if (w === 0) continue;
        const b = indices[slot] * 12;
        px += w * (m[b] * x + m[b + 1] * y + m[b + 2] * z + m[b + 3]);
        py += w * (m[b + 4] * x + m[b + 5] * y + m[b + 6] * z + m[b + 7]);
        pz += w * (m[b + 8] * x + m[b + 9] * y + m[b + 10] * z + m[b + 11]);
      }
      out[v * 3] = px;
      out[v * 3 + 1] = py;
      out[v * 3 + 2] = pz;
    }
    return out;
  }

  private corrected(v: number, coefficients: Float32Array, on: boolean, out: number[]): void {
    const { rest, basis, rank, vertices } = this.arrays;
    for (let axis = 0; axis < 3; axis++) {
      let sum = rest[v * 3 + axis];
      if (on) for (let r = 0; r < rank; r++) sum += coefficients[r] * basis[(r * vertices + v) * 3 + axis];
      out[axis] = sum;
    }
  }

  /** The bone that moves a vertex most. */
  strongest(vertex: number): number {
    const { influences, indices, weights } = this.arrays;
    let best = vertex * influences;
    for (let slot = best; slot < (vertex + 1) * influences; slot++)
      if (weights[slot] > weights[best]) best = slot;
    return indices[best];
  }

  /** The middle, in the rest pose, of what a bone moves. */
  middle(bone: number): [number, number, number] {
    this.middles ??= this.findMiddles();
    return [this.middles[bone * 3], this.middles[bone * 3 + 1], this.middles[bone * 3 + 2]];
  }

  /** The middle of a bone as a palette places it. */
  posedMiddle(bone: number, palette: Palette): [number, number, number] {
    const [x, y, z] = this.middle(bone);
    const m = palette.transforms.subarray(bone * 12, bone * 12 + 12);
    return [
      m[0] * x + m[1] * y + m[2] * z + m[3],
      m[4] * x + m[5] * y + m[6] * z + m[7],
      m[8] * x + m[9] * y + m[10] * z + m[11],
    ];
  }

  /** Weights squared, so that the middle lies where the bone rules and not where it only helps. */
  private findMiddles(): Float32Array {
    const { vertices, bones, influences, indices, weights, rest } = this.arrays;
    const sums = new Float64Array(bones * 4);
    for (let v = 0; v < vertices; v++) {
      for (let slot = v * influences; slot < (v + 1) * influences; slot++) {
        const w = weights[slot] * weights[slot];
        const at = indices[slot] * 4;
        for (let axis = 0; axis < 3; axis++) sums[at + axis] += w * rest[v * 3 + axis];
        sums[at + 3] += w;
      }
    }
    const middles = new Float32Array(bones * 3);
    for (let b = 0; b < bones; b++) {
      const total = sums[b * 4 + 3] || 1;
      for (let axis = 0; axis < 3; axis++) middles[b * 3 + axis] = sums[b * 4 + axis] / total;
    }
    return middles;
  }
}
