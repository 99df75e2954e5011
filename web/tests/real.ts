/**
 * Flows on real files: those in the folder that SINEW_DATA names, which the studio is given to read. Without it they are skipped.
 * What is saved goes to the test's own folder.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { faults } from "./faults";
import {
  apart,
  bakedFrames,
  cacheFrame,
  click,
  diagonal,
  expect,
  goTo,
  seen,
  settled,
  shot,
  test,
} from "./studio";

const DATA = process.env.SINEW_DATA ?? "";

export const data = (path: string): string => join(DATA, path);

/** A tab whose studio has the folder of real files. */
export const realTest = test.extend({
  tab: async ({ tab, studio }, use) => {
    test.skip(!DATA || !existsSync(DATA), "SINEW_DATA names no folder of real files");
    await studio.kill();
    await goTo(tab, await studio.start([], ["--folder", DATA]));
    await use(tab);
  },
});

/** Marks files of one folder in a list of files, as a hand does. */
export async function choose(page: Page, list: string, ...paths: string[]): Promise<void> {
  await page.getByTestId(`${list}-root`).selectOption(DATA);
  for (const folder of dirname(paths[0]).split("/")) await click(page, `${list}-folder-${folder}`);
  for (const path of paths) await click(page, `${list}-file-${basename(path)}`);
}

/** Opens files of the list. */
export async function openFiles(page: Page, ...paths: string[]): Promise<void> {
  const before = await page.evaluate(() => window.sinewStudio.state()!.open);
  await click(page, "tool-open");
  await choose(page, "files", ...paths);
  await click(page, "open-chosen");
  await page.waitForFunction((old) => window.sinewStudio.state()!.open > old, before, { timeout: 60_000 });
  await settled(page);
}

/** Opens a cache and its mesh. */
export const openCache = (page: Page, folder: string): Promise<void> =>
  openFiles(page, `${folder}/anim.pc2`, `${folder}/rest.obj`);

/** A picture of the page, in which nothing overlaps or is cut. */
export async function picture(page: Page, name: string): Promise<void> {
  await shot(page, `real-${name}`);
  expect(await faults(page), name).toEqual([]);
}

/** Compares what is seen in some frames with a cache, or with a rig as the command line plays it. */
export async function sameAs(page: Page, file: string, frames: number[], within: number): Promise<void> {
  const size = await diagonal(page);
  const expected = file.endsWith(".pc2")
    ? new Map(frames.map((frame) => [frame, cacheFrame(file, frame)]))
    : bakedFrames(file, frames);
  for (const frame of frames)
    expect(apart(await seen(page, frame), expected.get(frame)!), `frame ${frame}`).toBeLessThanOrEqual(
      within * size,
    );
}

export interface Distance {
  /** 100 · ‖P − Q‖ / ‖P − mean of P over time‖ */
  percent: number;
  /** Of each frame, in units. */
  mean: number[];
  largest: number[];
}

/** How far two caches are apart, by the papers' formulas. */
export function distance(original: string, other: string): Distance {
  const [p, q] = [original, other].map(allFrames);
  expect(q.length).toBe(p.length);
  const values = p[0].length;
  const middle = new Float64Array(values);
  for (const pose of p) pose.forEach((x, i) => (middle[i] += x / p.length));
  let [off, motion] = [0, 0];
  const [mean, largest]: number[][] = [[], []];
  p.forEach((pose, frame) => {
    let [sum, most] = [0, 0];
    for (let i = 0; i < values; i += 3) {
      const apart = Math.hypot(...[0, 1, 2].map((k) => pose[i + k] - q[frame][i + k]));
      const moved = Math.hypot(...[0, 1, 2].map((k) => pose[i + k] - middle[i + k]));
      sum += apart;
      most = Math.max(most, apart);
      off += apart * apart;
      motion += moved * moved;
    }
    mean.push((3 * sum) / values);
    largest.push(most);
  });
  return { percent: 100 * Math.sqrt(off / motion), mean, largest };
}

function allFrames(file: string): Float32Array[] {
  const frames = readFileSync(file).readUInt32LE(28);
  return Array.from({ length: frames }, (_, frame) => cacheFrame(file, frame));
}

/** The diagonal of the box around the vertices of an OBJ file. */
export function boxDiagonal(file: string): number {
  const points = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("v "))
    .map((line) => line.split(/\s+/).slice(1, 4).map(Number));
  const size = [0, 1, 2].map(
    (k) =>
      points.reduce((a, p) => Math.max(a, p[k]), -Infinity) -
      points.reduce((a, p) => Math.min(a, p[k]), Infinity),
  );
  return Math.hypot(...size);
}

/** The JSON part of a GLB file and its binary part. */
export function readGlb(file: string): { json: Record<string, any>; binary: Buffer } {
  const bytes = readFileSync(file);
  const length = bytes.readUInt32LE(12);
  return {
    json: JSON.parse(bytes.subarray(20, 20 + length).toString()) as Record<string, any>,
    binary: bytes.subarray(28 + length),
  };
}
