/** Files of other people with several clips, some of which loop. */
import type { Page } from "@playwright/test";
import { openFiles, picture, realTest as test } from "./real";
import { apart, changing, click, diagonal, drag, expect, placeOnSurface, seen, settled } from "./studio";

/** How far apart the ends of a clip are, as a share of the size. */
async function gap(tab: Page, { start, frames }: { start: number; frames: number }): Promise<number> {
  return apart(await seen(tab, start), await seen(tab, start + frames - 1)) / (await diagonal(tab));
}

test("a knight of many clips is edited in the one that is shown", async ({ tab }) => {
  await openFiles(tab, "rigs/Knight.glb");
  const { clips, frames } = await tab.evaluate(() => window.sinewStudio.state()!);
  expect(clips.length).toBeGreaterThan(50);
  await click(tab, "tool-bone");
  const range = async () => [
    Number(await tab.getByTestId("range-from").inputValue()),
    Number(await tab.getByTestId("range-to").inputValue()),
  ];
  expect(await range()).toEqual([0, clips[0].frames - 1]);
  const other = clips[40];
  await tab.evaluate((frame) => window.sinewStudio.setFrame(frame), other.start + 1);
  expect(await range()).toEqual([other.start, other.start + other.frames - 1]);
  // Bones are called what they are called in the file.
  await tab.getByTestId("bone-find").fill("hand");
  await tab.getByTestId("bone-tree").locator(".row").first().click();
  await expect(tab.getByTestId("tip")).toContainText(/hand.*drag a ring/i);
  await picture(tab, "60-knight");
  const before = await tab.evaluate(() => window.sinewStudio.palettes());
  await changing(tab, () => click(tab, "turn-x-plus"));
  const after = await tab.evaluate(() => window.sinewStudio.palettes());
  const moved = before.flatMap((palette, frame) =>
    palette.some((bone, b) => bone.some((x, i) => x !== after[frame][b][i])) ? [frame] : [],
  );
  expect([moved[0], moved.at(-1)]).toEqual([other.start, other.start + other.frames - 1]);
  expect(frames).toBeGreaterThan(other.start + other.frames);
});

test("a fox goes on running, whatever is done to it", async ({ tab }) => {
  await openFiles(tab, "rigs/Fox.glb");
  const version = () =>
    tab.evaluate(() => {
      const state = window.sinewStudio.state()!;
      return state.versions.find(({ id }) => id === state.current)!;
    });
  const run = (await version()).clips.find(({ name }) => name === "Run")!;
  expect(run.loops).toBe(true);
  const least = Math.max(1e-4, 1.5 * (await gap(tab, run)));
  await tab.getByTestId("clip").selectOption(String(run.start));
  await tab.evaluate((frame) => window.sinewStudio.setFrame(frame), run.start + 12);
  await click(tab, "tool-bone");
  await tab.getByTestId("bone-find").fill("tail");
  await tab.getByTestId("bone-tree").locator(".row").first().click();
  await click(tab, "range-later");
  await changing(tab, () => click(tab, "turn-x-plus"));
  await picture(tab, "61-fox-later");
  expect(await gap(tab, run)).toBeLessThan(least);
  await tab.evaluate((frame) => window.sinewStudio.setFrame(frame), run.start + run.frames - 1);
  await click(tab, "range-one");
  await changing(tab, () => click(tab, "turn-y-plus"));
  expect(await gap(tab, run)).toBeLessThan(least);
  await click(tab, "tool-sculpt");
  await tab.evaluate((frame) => window.sinewStudio.setFrame(frame), run.start);
  await changing(tab, async () => {
    await drag(tab, await placeOnSurface(tab, "body"), [0, -40]);
    await tab.mouse.up();
  });
  await settled(tab);
  expect(await gap(tab, run)).toBeLessThan(least);
  expect((await version()).clips.find(({ name }) => name === "Run")!.loops).toBe(true);
});
