/** Numbers as people read them. */

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return "–";
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(count < 1e4 ? 1 : 0)} kB`;
  if (count < 1e9) return `${(count / 1e6).toFixed(count < 1e7 ? 2 : 1)} MB`;
  return `${(count / 1e9).toFixed(2)} GB`;
}

/** Three digits that count, without zeros that say nothing. */
export function digits(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  // What is this near to nothing is rounding.
  if (size < 1e-5) return "under 0.00001";
  if (size < 0.001) return value.toFixed(6).replace(/0+$/, "");
  const text =
    size >= 100
      ? value.toFixed(0)
      : size >= 10
        ? value.toFixed(1)
        : size >= 1
          ? value.toFixed(2)
          : value.toFixed(3);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export const percent = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : `${digits(value)} %`;

export const thousands = (value: number): string => value.toLocaleString("en-US");

/** One of the thing, or so many of them. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${thousands(count)} ${count === 1 ? one : many}`;
