/** Rigs of every kind: corrections, many influences, rigid bones, poses made from poses; each is seen as it is saved. */
import { join } from "node:path";
import type { Page } from "@playwright/test";
import {
  type Studio,
  apart,
  cacheFrame,
  click,
  diagonal,
  expect,
  openSample,
  positions,
  settled,
  shot,
  test,
} from "./studio";

async function fit(tab: Page, order: Record<string, unknown>): Promise<void> {
  await openSample(tab);
  const before = await tab.evaluate(() => window.sinewStudio.state()!.versions.length);
  await tab.evaluate((fields) => window.sinewStudio.ask("fit", fields), order);
  await tab.waitForFunction((count) => window.sinewStudio.state()!.versions.length > count, before, {
    timeout: 100_000,
  });
  await settled(tab);
}

/** Saves positions, and compares a frame of the file with what is seen. */
async function savedAsSeen(tab: Page, studio: Studio, frame: number): Promise<void> {
  await tab.evaluate((wanted) => window.sinewStudio.setFrame(wanted), frame);
  await settled(tab);
  await tab.waitForTimeout(300);
  const file = join(studio.folder, "seen.pc2");
  const version = await tab.evaluate(() => window.sinewStudio.version());
  await tab.evaluate((fields) => window.sinewStudio.ask("save", fields), { version, path: file });
  await tab.waitForFunction((path) => window.sinewStudio.state()!.saved === path, file);
  expect(apart(cacheFrame(file, frame), await positions(tab))).toBeLessThan(1e-5 * (await diagonal(tab)));
}

test("corrections are drawn, and switched off and on", async ({ tab, studio }) => {
  await fit(tab, { goal: { bones: 6 }, influences: 4, rank: 4 });
  await tab.evaluate(() => window.sinewStudio.setFrame(13));
  const on = await positions(tab);
  await click(tab, "toggle-corrections");
  await expect(tab.getByTestId("toggle-corrections")).toHaveAttribute("aria-pressed", "false");
  expect(apart(await positions(tab), on)).toBeGreaterThan(1e-3 * (await diagonal(tab)));
  await click(tab, "toggle-corrections");
  expect(await positions(tab)).toEqual(on);
  await savedAsSeen(tab, studio, 13);
});

test("eight influences and rigid bones", async ({ tab, studio }) => {
  await fit(tab, { kind: "rigid", goal: { bones: 10 }, influences: 8 });
  await expect(tab.getByTestId("number-influences")).toHaveText("8");
  await savedAsSeen(tab, studio, 31);
});

test("poses made from poses are streamed", async ({ tab, studio }) => {
  await fit(tab, { method: "pps", goal: { bones: 10 } });
  expect(await tab.evaluate(() => window.sinewStudio.state()!.versions.at(-1)!.chain)).toBe(true);
  await savedAsSeen(tab, studio, 22);
  await tab.keyboard.press("4");
  await shot(tab, "16-pose-to-pose");
});

test("the GPU draws what is computed here", async ({ tab }) => {
  await fit(tab, { goal: { bones: 8 }, influences: 6, rank: 2 });
  await tab.evaluate(() => window.sinewStudio.setFrame(9));
  const off = await tab.evaluate(() => window.sinewStudio.drawnApart());
  expect(off).toBeLessThan(1e-4 * (await diagonal(tab)));
});

test("the curve is measured, and a point of it is fitted", async ({ tab }) => {
  test.setTimeout(240_000);
  await openSample(tab);
  await click(tab, "tool-fit");
  await click(tab, "curve-start");
  await tab.waitForFunction(() => window.sinewStudio.state()!.curve.length > 2, undefined, {
    timeout: 200_000,
  });
  await settled(tab);
  await shot(tab, "23-curve");
  const bones = await tab.evaluate(() => window.sinewStudio.state()!.curve[0].bones);
  await tab.getByTestId(`curve-${bones}`).first().click();
  await tab.waitForFunction(() => window.sinewStudio.state()!.versions.length > 0, undefined, {
    timeout: 100_000,
  });
});
