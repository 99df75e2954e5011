/** Files that other programs wrote: seen as the command line plays them, and saved as they are seen. */
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { data, openFiles, picture, realTest as test, sameAs } from "./real";
import {
  type Studio,
  apart,
  cacheFrame,
  click,
  diagonal,
  expect,
  fit,
  saveAs,
  settled,
  sinew,
} from "./studio";

/** Some frames of what is open. */
async function someFrames(tab: Page): Promise<number[]> {
  const { frames } = await tab.evaluate(() => window.sinewStudio.state()!);
  return [0, Math.floor(frames / 3), Math.floor((2 * frames) / 3), frames - 1];
}

function cacheOf(studio: Studio, ...command: string[]): string {
  const cache = join(studio.folder, "played.pc2");
  sinew(...command, cache, "--quiet");
  return cache;
}

/** GLB files are in metres; these FBX files are in centimetres, and so is what is seen of them. */
function asSeen(path: string): string[] {
  return path.endsWith(".fbx") ? ["--scale", "100"] : [];
}

const RIGS: [string, number][] = [
  ["formats/Fox_Run.usdc", 24],
  ["rigs/Fox.glb", 24],
  ["rigs/RobotExpressive.glb", 43],
  ["rigs/geno/Geno.fbx", 75],
];

test("a rig of this computer is opened by the file dialog", async ({ tab }) => {
  await tab.getByTestId("file-input").setInputFiles(data("rigs/Knight.glb"));
  await expect(tab.getByTestId("opened-name")).toContainText("Knight");
  await expect(tab.getByTestId("number-bones")).toHaveText("41");
  await settled(tab);
  await sameAs(tab, data("rigs/Knight.glb"), [0, 16, 32], 1e-6);
  await picture(tab, "42-Knight");
});

for (const [path, bones] of RIGS) {
  test(`the rig in ${path} is seen as it is played, and saved`, async ({ tab, studio }) => {
    await openFiles(tab, path);
    await expect(tab.getByTestId("number-bones")).toHaveText(String(bones));
    const frames = await someFrames(tab);
    await sameAs(tab, cacheOf(studio, "bake", data(path), "--clip", "all", "-o"), frames, 1e-6);
    await picture(tab, `40-${path.split("/").at(-1)}`);
    const saved = await saveAs(tab, studio, "saved", "glb");
    const cache = cacheOf(studio, "bake", saved, "--clip", "all", ...asSeen(path), "-o");
    await sameAs(tab, cache, frames, 1e-5);
  });
}

const CACHES = [
  "formats/CesiumMan.abc",
  "formats/fbx-caches/max_cache_box_7500_binary.fbx",
  "formats/fbx-caches/maya_cache_sine_7500_ascii.fbx",
];

for (const path of CACHES) {
  test(`the animation in ${path} is seen as it is, fitted and saved`, async ({ tab, studio }) => {
    await openFiles(tab, path);
    const cache = cacheOf(studio, "convert", data(path));
    const frames = await someFrames(tab);
    for (const frame of frames) {
      await tab.evaluate((wanted) => window.sinewStudio.setFrame(wanted), frame);
      const shown = await tab.evaluate(() => window.sinewStudio.original());
      expect(apart(shown, cacheFrame(cache, frame))).toBeLessThanOrEqual(1e-6 * (await diagonal(tab)));
    }
    await fit(tab, { bones: 12 });
    await click(tab, "view-both");
    await picture(tab, `41-${path.split("/").at(-1)}`);
    const saved = await saveAs(tab, studio, "fitted", "glb");
    await sameAs(tab, cacheOf(studio, "bake", saved, ...asSeen(path), "-o"), frames, 1e-5);
  });
}
