import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import {
  apart,
  changing,
  click,
  diagonal,
  drag,
  expect,
  fitted,
  placeOnSurface,
  positions,
  enter,
  fit,
  sample,
  settled,
  shot,
  sinew,
  test,
  type Studio,
} from "./studio";

async function at(tab: Page, frame: number): Promise<number[]> {
  await tab.evaluate((frame) => window.sinewStudio.setFrame(frame), frame);
  await settled(tab);
  return positions(tab);
}

test("a sculpted pose reaches frames before it too, and grows as it fades", async ({ tab }) => {
  await fitted(tab);
  const size = await diagonal(tab);
  await click(tab, "tool-sculpt");
  await click(tab, "brush-carry-range");
  const range = tab.getByTestId("sculpt-range");
  for (const [id, frame] of [
    ["range-from", "10"],
    ["range-to", "30"],
  ]) {
    await range.getByTestId(id).fill(frame);
    await range.getByTestId(id).blur();
  }
  await tab.evaluate(() => window.sinewStudio.set({ ease: 4 }));
  const frames = [9, 10, 16, 24, 30, 31];
  const before: number[][] = [];
  for (const frame of frames) before.push(await at(tab, frame));
  await at(tab, 20);
  const shares = await tab.evaluate((frames) => frames.map((f) => window.sinewStudio.share(f)), frames);
  await changing(tab, async () => {
    await drag(tab, await placeOnSurface(tab, "body"), [0, -60]);
    await tab.mouse.up();
  });
  const moved: number[] = [];
  for (const [i, frame] of frames.entries()) moved.push(apart(await at(tab, frame), before[i]) / size);
  expect([moved[0], moved[5]], "outside").toEqual([0, 0]);
  expect(Math.min(moved[2], moved[3]), "inside").toBeGreaterThan(0.02);
  for (const end of [1, 4]) {
    expect(shares[end]).toBeGreaterThan(0);
    expect(moved[end]).toBeGreaterThan(0);
    expect(moved[end], "at an end").toBeLessThan(0.5 * moved[2]);
  }
});

test("over a whole clip nothing fades", async ({ tab }) => {
  await fitted(tab);
  await click(tab, "tool-bone");
  await click(tab, "range-all");
  const last = (await tab.evaluate(() => window.sinewStudio.state()!.frames)) - 1;
  expect(await tab.evaluate(() => window.sinewStudio.look().ease)).toBeGreaterThan(0);
  await tab.evaluate(() => window.sinewStudio.setFrame(10));
  const ends = [0, 1, last - 1, last];
  expect(await tab.evaluate((ends) => ends.map((f) => window.sinewStudio.share(f)), ends)).toEqual([
    1, 1, 1, 1,
  ]);
  const before = [await at(tab, 0), await at(tab, 10), await at(tab, last)];
  await tab.evaluate(() => window.sinewStudio.set({ bone: 0 }));
  await changing(tab, () => click(tab, "turn-x-plus"));
  const size = await diagonal(tab);
  const moved = [];
  for (const [i, frame] of [0, 10, last].entries()) moved.push(apart(await at(tab, frame), before[i]) / size);
  for (const share of moved) expect(share).toBeGreaterThan(0.7 * moved[1]);
});

/** A copy of the sample's cache that ends as it begins. */
function looping(studio: Studio): string {
  const file = join(studio.folder, "loop.pc2");
  const cache = readFileSync(sample("anim.pc2"));
  const size = 12 * cache.readUInt32LE(16);
  cache.writeUInt32LE(cache.readUInt32LE(28) + 1, 28);
  writeFileSync(file, Buffer.concat([cache, cache.subarray(32, 32 + size)]));
  return file;
}

test("a clip that loops goes on looping, and the timeline shows how", async ({ tab, studio }) => {
  const rest = sample("rest.obj");
  const paths = [looping(studio)];
  await changing(tab, () =>
    tab.evaluate(([paths, rest]) => window.sinewStudio.ask("open", { paths, rest }), [paths, rest] as const),
  );
  await fit(tab, { bones: 8 });
  const size = await diagonal(tab);
  const last = (await tab.evaluate(() => window.sinewStudio.state()!.frames)) - 1;
  const gap = async () => apart(await at(tab, last), await at(tab, 0)) / size;
  expect(await gap()).toBeLessThan(1e-4);
  const shares = (frames: number[]) =>
    tab.evaluate((frames) => frames.map((f) => window.sinewStudio.share(f)), frames);
  await click(tab, "tool-bone");
  await click(tab, "bone-row-2");
  await tab.evaluate(() => window.sinewStudio.setFrame(20));
  await click(tab, "range-later");
  expect(await shares([0, 20, 30, last])).toEqual([0, 1, 1, 0]);
  await changing(tab, () => click(tab, "turn-x-plus"));
  expect(await gap(), "from here").toBeLessThan(1e-4);
  await tab.evaluate(() => window.sinewStudio.setFrame(0));
  await click(tab, "range-one");
  expect(await shares([0, 1, last - 1, last])).toEqual([1, 0, 0, 1]);
  const before = await at(tab, last);
  await tab.evaluate(() => window.sinewStudio.setFrame(0));
  await shot(tab, "34-loop");
  await changing(tab, () => click(tab, "turn-x-plus"));
  expect(apart(await at(tab, last), before)).toBeGreaterThan(0.001 * size);
  expect(await gap(), "the first frame").toBeLessThan(1e-4);

  await click(tab, "tool-sculpt");
  await tab.evaluate(() => window.sinewStudio.setFrame(10));
  await changing(tab, async () => {
    await drag(tab, await placeOnSurface(tab, "body"), [0, -60]);
    await tab.mouse.up();
  });
  expect(await gap(), "sculpted, later frames").toBeLessThan(1e-4);
});

test("of several clips an edit reaches the one that is shown", async ({ tab, studio }) => {
  const [walk, again] = ["walk.pc2", "again.pc2"].map((name) => join(studio.folder, name));
  for (const file of [walk, again]) copyFileSync(sample("anim.pc2"), file);
  const rig = join(studio.folder, "clips.glb");
  sinew("skin", walk, again, "--rest", sample("rest.obj"), "--bones", "6", "-o", rig, "--quiet");
  await changing(tab, () => tab.evaluate((rig) => window.sinewStudio.ask("open", { paths: [rig] }), rig));
  await click(tab, "tool-bone");
  const { clips } = await tab.evaluate(() => window.sinewStudio.state()!);
  expect(clips.length).toBe(2);
  const range = async () => [
    Number(await tab.getByTestId("range-from").inputValue()),
    Number(await tab.getByTestId("range-to").inputValue()),
  ];
  expect(await range()).toEqual([0, clips[0].frames - 1]);
  await tab.getByTestId("clip").selectOption(String(clips[1].start));
  expect(await range()).toEqual([clips[1].start, clips[1].start + clips[1].frames - 1]);
  // Whichever way the frame gets there.
  await tab.evaluate(() => window.sinewStudio.setFrame(3));
  expect(await range()).toEqual([0, clips[0].frames - 1]);
  await enter(tab, "frame", clips[1].start + 5);
  expect(await range()).toEqual([clips[1].start, clips[1].start + clips[1].frames - 1]);
});
