/** Textures that hold arrays: entry i is the texel (i mod width, i div width). */
import { DataTexture, FloatType, NearestFilter, RGBAFormat, RGFormat, type PixelFormat } from "three";
import type { Palette, Rig } from "../model/rig";
import { TEXTURE_WIDTH } from "./shader";

function texture(
  entries: number,
  channels: number,
  format: PixelFormat,
): { texture: DataTexture; values: Float32Array } {
  const rows = Math.max(1, Math.ceil(entries / TEXTURE_WIDTH));
  const values = new Float32Array(rows * TEXTURE_WIDTH * channels);
  const made = new DataTexture(values, TEXTURE_WIDTH, rows, format, FloatType);
  made.magFilter = NearestFilter;
  made.minFilter = NearestFilter;
  made.needsUpdate = true;
  return { texture: made, values };
}

/** Bone and weight of every slot of every vertex. */
export function influenceTexture(rig: Rig): DataTexture {
  const { indices, weights } = rig.arrays;
  const { texture: made, values } = texture(indices.length, 2, RGFormat);
  for (let i = 0; i < indices.length; i++) {
    values[i * 2] = indices[i];
    values[i * 2 + 1] = weights[i];
  }
  return made;
}

/** Displacement of every vertex by every correction shape. */
export function basisTexture(rig: Rig): DataTexture {
  const { basis } = rig.arrays;
  const { texture: made, values } = texture(basis.length / 3, 4, RGBAFormat);
  for (let i = 0; i * 3 < basis.length; i++) {
    for (let axis = 0; axis < 3; axis++) values[i * 4 + axis] = basis[i * 3 + axis];
  }
  return made;
}

/** Three rows of every bone's matrix, then the coefficients of the correction shapes. */
export function paletteTexture(rig: Rig): DataTexture {
  return texture(rig.arrays.bones * 3 + rig.arrays.rank, 4, RGBAFormat).texture;
}

export function writePalette(target: DataTexture, palette: Palette): void {
  const values = target.image.data as unknown as Float32Array;
  values.set(palette.transforms, 0);
  for (let r = 0; r < palette.coefficients.length; r++)
    values[palette.transforms.length + r * 4] = palette.coefficients[r];
  target.needsUpdate = true;
}

export function colourTexture(colours: readonly (readonly number[])[]): DataTexture {
  const { texture: made, values } = texture(colours.length, 4, RGBAFormat);
  colours.forEach(([r, g, b, a = 1], i) => values.set([r, g, b, a], i * 4));
  return made;
}

/** A texture of one entry, where there is nothing to say. */
export const emptyTexture = (): DataTexture => texture(1, 4, RGBAFormat).texture;
