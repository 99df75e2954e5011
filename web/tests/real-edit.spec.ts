/** A horse, fitted and then changed by hand: bones, a pose, the rest pose; each is saved as it is seen. */
import type { Page } from "@playwright/test";
import { openCache, picture, realTest as test, sameAs } from "./real";
import {
  apart,
  click,
  diagonal,
  drag,
  enter,
  expect,
  fit,
  placeOnSurface,
  positions,
  saveAs,
  seen,
  settled,
  turnRing,
} from "./studio";

const FRAMES = [0, 4, 5, 8, 16, 30, 31, 47];

async function fitHorse(tab: Page): Promise<void> {
  await openCache(tab, "horse-gallop");
  await fit(tab, { bones: 20 });
}

/** Positions in all frames that are looked at. */
async function poses(tab: Page): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  for (const frame of FRAMES) found.set(frame, await seen(tab, frame));
  return found;
}

/** Lets the button go, and waits until the edit is a version that is shown. */
async function release(tab: Page): Promise<void> {
  const before = await tab.evaluate(() => window.sinewStudio.state()!.revision);
  await tab.mouse.up();
  await tab.waitForFunction((old) => window.sinewStudio.state()!.revision > old, before);
  await settled(tab);
}

/** Which of the frames changed by more than a share of the size. */
async function changed(tab: Page, before: Map<number, number[]>, share: number): Promise<number[]> {
  const size = await diagonal(tab);
  const after = await poses(tab);
  return FRAMES.filter((frame) => apart(after.get(frame)!, before.get(frame)!) > share * size);
}

test("a bone of the horse is turned by its ring over a range and saved", async ({ tab, studio }) => {
  await fitHorse(tab);
  await click(tab, "tool-bone");
  await enter(tab, "range-from", 5);
  await enter(tab, "range-to", 30);
  const before = await poses(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(16));
  const { x, y } = await placeOnSurface(tab, "neck");
  await tab.mouse.click(x, y);
  await expect(tab.getByTestId("tip")).toContainText("drag a ring");
  await turnRing(tab);
  await picture(tab, "10-horse-turning");
  await release(tab);
  await picture(tab, "11-horse-turned");

  expect(await changed(tab, before, 0)).toEqual([5, 8, 16, 30]);
  const size = await diagonal(tab);
  expect(apart(await seen(tab, 16), before.get(16)!)).toBeGreaterThan(0.01 * size);
  await sameAs(tab, await saveAs(tab, studio, "turned", "glb"), FRAMES, 1e-5);
});

test("a pose of the horse is sculpted, carried to later frames and saved", async ({ tab, studio }) => {
  await fitHorse(tab);
  await click(tab, "tool-sculpt");
  const before = await poses(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(8));
  const size = await diagonal(tab);
  const { x, y, vertex } = await placeOnSurface(tab, "body");
  await drag(tab, { x, y }, [0, -50]);
  await tab.waitForFunction(() => window.sinewStudio.latency().brush.length > 0);
  await picture(tab, "12-horse-grabbed");
  await release(tab);

  // What was grabbed is under the hand.
  const held = await tab.evaluate((v) => window.sinewStudio.vertexOnPage(v), vertex);
  expect(Math.hypot(held.x - x, held.y - (y - 50))).toBeLessThan(3);
  expect(await changed(tab, before, 1e-6)).toEqual([8, 16, 30, 31, 47]);
  expect(await changed(tab, before, 0.02)).toEqual([8, 16, 30, 31, 47]);

  await tab.evaluate(() => window.sinewStudio.setFrame(8));
  await click(tab, "brush-mode-smooth");
  const rough = await positions(tab);
  await drag(tab, { x: held.x, y: held.y + 20 }, [20, 0]);
  await release(tab);
  expect(apart(await positions(tab), rough)).toBeGreaterThan(1e-4 * size);
  await sameAs(tab, await saveAs(tab, studio, "sculpted", "glb"), FRAMES, 1e-5);
});

test("the rest pose of the horse is sculpted, shows in all frames and is saved", async ({ tab, studio }) => {
  await fitHorse(tab);
  await click(tab, "tool-sculpt");
  await click(tab, "brush-target-rest");
  const before = await poses(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(16));
  await drag(tab, await placeOnSurface(tab, "body"), [0, -40]);
  await release(tab);
  await picture(tab, "13-horse-rest");
  expect(await changed(tab, before, 0.01)).toEqual(FRAMES);
  await sameAs(tab, await saveAs(tab, studio, "rest", "glb"), FRAMES, 1e-5);
});
