/** Many tabs that edit and undo at random: all see the same, undoing all gives the beginning, and memory stays flat. */
import type { Page } from "@playwright/test";
import { apart, changing, expect, fitted, positions, settled, test } from "./studio";

const TABS = 10;
const EDITS = Number(process.env.STUDIO_EDITS ?? 120);

/** The same numbers every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

const heap = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { usedSize: number };
  await session.detach();
  return usedSize;
};

test(`${TABS} tabs, ${EDITS} random edits and undos`, async ({ tab, studio, context }) => {
  test.setTimeout(60_000 + EDITS * 1500);
  await fitted(tab, 6);
  const tabs = [tab];
  while (tabs.length < TABS) {
    const page = await context.newPage();
    await page.goto(studio.url);
    await page.waitForFunction(() => window.sinewStudio?.connected() && window.sinewStudio.state() !== null);
    tabs.push(page);
  }
  for (const page of tabs) await page.evaluate(() => window.sinewStudio.holdDrawing(true));
  const next = random(7);
  let version = await tab.evaluate(() => window.sinewStudio.version());
  const edit = async (page: Page) => {
    const [bone, frame] = [Math.floor(next() * 6), Math.floor(next() * 48)];
    const half = next() * 0.2;
    const rotation = [Math.sin(half), 0, 0, Math.cos(half)];
    const order = { version, frame, bone, rotation, from: 0, to: 47, ease: 3, phase: "end" };
    const done = await page.evaluate((fields) => window.sinewStudio.ask("turn", fields), order);
    version = (done?.version as number) ?? version;
  };
  await changing(tab, () => edit(tab));
  const start = await positions(tab);
  let depth = 0;
  let before = 0;
  for (let i = 0; i < EDITS; i++) {
    const page = tabs[Math.floor(next() * TABS)];
    const undo = depth > 0 && next() < 0.4;
    if (undo) await page.evaluate(() => window.sinewStudio.ask("undo"));
    else await edit(page);
    depth += undo ? -1 : 1;
    if (i === Math.floor(EDITS / 4)) before = await heap(tab);
  }
  // The last edit is this tab's, so that it knows the newest revision.
  await changing(tab, () => edit(tab));
  depth++;
  const revision = await tab.evaluate(() => window.sinewStudio.state()!.revision);
  for (const page of tabs) {
    await page.waitForFunction((least) => window.sinewStudio.state()!.revision >= least, revision);
    await settled(page);
  }
  const seen = await positions(tab);
  for (const page of tabs) expect(apart(await positions(page), seen)).toBe(0);
  const grown = (await heap(tab)) - before;
  console.log(
    `memory of a tab after ${EDITS} edits: ${(grown / 1e6).toFixed(1)} MB more than after a quarter of them`,
  );
  expect(grown).toBeLessThan(30e6);

  for (; depth > 0; depth--) await changing(tab, () => tab.evaluate(() => window.sinewStudio.ask("undo")));
  expect(apart(await positions(tab), start)).toBe(0);
});
