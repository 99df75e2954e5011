/** Colours: the heat map's scale, and colours that tell bones and joints apart. */

/**
 * Viridis at ten even steps: lightness only rises, so that it reads the same in grey and for every kind of
 * colour-blindness.
 */
export const HEAT: [number, number, number][] = [
  [0x44, 0x01, 0x54],
  [0x48, 0x28, 0x78],
  [0x3e, 0x49, 0x89],
  [0x31, 0x68, 0x8e],
  [0x26, 0x82, 0x8e],
  [0x1f, 0x9e, 0x89],
  [0x35, 0xb7, 0x79],
  [0x6e, 0xce, 0x58],
  [0xb5, 0xde, 0x2b],
  [0xfd, 0xe7, 0x25],
].map(([r, g, b]) => [r / 255, g / 255, b / 255]);

export const css = ([r, g, b]: readonly number[]): string =>
  `rgb(${Math.round(r * 255)} ${Math.round(g * 255)} ${Math.round(b * 255)})`;

export const heatGradient = (): string => `linear-gradient(to right, ${HEAT.map(css).join(", ")})`;

export const UNMAPPED: [number, number, number] = [0.42, 0.43, 0.45];

/**
 * Colour of the n-th bone or joint: hues a golden angle apart, lightness in three steps, so that neighbours in
 * number differ in lightness too and not in hue alone.
 */
export function distinct(n: number): [number, number, number] {
  const hue = (n * 137.508 + 28) % 360;
  const lightness = [0.66, 0.5, 0.78][n % 3];
  const chroma = (1 - Math.abs(2 * lightness - 1)) * 0.62;
  const part = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    return lightness - (chroma / 2) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [part(0), part(8), part(4)];
}
