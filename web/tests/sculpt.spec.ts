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
  settled,
  shot,
  test,
} from "./studio";
import type { Page } from "@playwright/test";

async function stroke(tab: Page, from: { x: number; y: number }, by: [number, number]): Promise<void> {
  await drag(tab, from, by);
  await tab.waitForFunction(() => window.sinewStudio.latency().brush.length > 0);
}

async function waitForEdit(tab: Page, before: string | null): Promise<void> {
  await tab.waitForFunction((old) => window.sinewStudio.state()!.undo !== old, before);
  await settled(tab);
}

test("a pose is grabbed, smoothed and carried to later frames", async ({ tab }) => {
  await fitted(tab);
  const size = await diagonal(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(8));
  await click(tab, "tool-sculpt");
  const before = await positions(tab);
  const undo = await tab.evaluate(() => window.sinewStudio.state()!.undo);
  await stroke(tab, await placeOnSurface(tab, "body"), [0, -60]);
  await shot(tab, "40-grab");
  await tab.mouse.up();
  await waitForEdit(tab, undo);
  expect(apart(await positions(tab), before)).toBeGreaterThan(0.02 * size);

  await tab.evaluate(() => window.sinewStudio.setFrame(20));
  const later = await positions(tab);
  await changing(tab, () => tab.keyboard.press("Control+z"));
  expect(apart(await positions(tab), later)).toBeGreaterThan(0.005 * size);
  await changing(tab, () => tab.keyboard.press("Control+Shift+z"));
  expect(apart(await positions(tab), later)).toBeLessThan(1e-6 * size);

  await tab.evaluate(() => window.sinewStudio.setFrame(8));
  await click(tab, "brush-mode-smooth");
  const grabbed = await tab.evaluate(() => window.sinewStudio.state()!.revision);
  const rough = await positions(tab);
  await stroke(tab, await placeOnSurface(tab, "body"), [30, 0]);
  await tab.mouse.up();
  await tab.waitForFunction((revision) => window.sinewStudio.state()!.revision > revision, grabbed);
  await settled(tab);
  expect(apart(await positions(tab), rough)).toBeGreaterThan(0);
  await shot(tab, "41-smoothed");
});

test("the rest pose is sculpted, and all frames show it", async ({ tab }) => {
  await fitted(tab);
  const size = await diagonal(tab);
  await click(tab, "tool-sculpt");
  await click(tab, "brush-target-rest");
  await tab.evaluate(() => window.sinewStudio.setFrame(30));
  const other = await positions(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(0));
  const undo = await tab.evaluate(() => window.sinewStudio.state()!.undo);
  await stroke(tab, await placeOnSurface(tab, "body"), [0, -50]);
  await tab.mouse.up();
  await waitForEdit(tab, undo);
  await shot(tab, "42-rest");
  await tab.evaluate(() => window.sinewStudio.setFrame(30));
  expect(apart(await positions(tab), other)).toBeGreaterThan(0.01 * size);
});
