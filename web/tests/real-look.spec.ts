/** The elephant: looked at, fitted and saved; a horse fitted to an error. */
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { boxDiagonal, data, distance, openCache, picture, realTest as test, sameAs } from "./real";
import { cacheFrame, apart, click, expect, fit, saveAs, settled, sinew } from "./studio";

/** The first number in an element's words. */
const numberIn = async (page: Page, id: string): Promise<number> =>
  Number(/[\d.]+(e-?\d+)?/.exec((await page.getByTestId(id).textContent())!)![0]);

/** Plays a saved rig into a cache beside it. */
function played(rig: string): string {
  const cache = join(dirname(rig), "played.pc2");
  sinew("bake", rig, "-o", cache, "--quiet");
  return cache;
}

test("the elephant is opened, looked at, fitted with 25 bones and saved", async ({ tab, studio }) => {
  const [original, rest] = [data("elephant-gallop/anim.pc2"), data("elephant-gallop/rest.obj")];
  await openCache(tab, "elephant-gallop");
  await expect(tab.getByTestId("opened")).toContainText(/42\D321/);
  for (const frame of [0, 17, 47]) {
    await tab.evaluate((wanted) => window.sinewStudio.setFrame(wanted), frame);
    const shown = await tab.evaluate(() => window.sinewStudio.original());
    expect(apart(shown, cacheFrame(original, frame))).toBe(0);
  }
  await picture(tab, "01-elephant");

  await fit(tab, { bones: 25 });
  await tab.waitForFunction(() => window.sinewStudio.look().errors !== null);
  await expect(tab.getByTestId("number-bones")).toHaveText("25");
  await picture(tab, "02-elephant-fitted");
  const rig = await saveAs(tab, studio, "elephant", "glb");
  const cache = played(rig);
  const found = distance(original, cache);
  const size = boxDiagonal(rest);

  const near = (a: number, b: number) => expect(Math.abs(a - b) / b).toBeLessThan(0.01);
  near(await numberIn(tab, "number-error"), found.percent);
  await click(tab, "worst");
  const worst = found.largest.indexOf(Math.max(...found.largest));
  expect(await tab.evaluate(() => window.sinewStudio.frame())).toBe(worst);
  near(await numberIn(tab, "frame-error"), (100 * found.mean[worst]) / size);
  const errors = await tab.evaluate(() => window.sinewStudio.look().errors!);
  errors.per_frame.forEach((percent, frame) => near(percent, (100 * found.mean[frame]) / size));
  errors.largest.forEach((percent, frame) => near(percent, (100 * found.largest[frame]) / size));
  await sameAs(tab, cache, [0, worst, 47], 1e-5);

  await tab.keyboard.press("4");
  await expect(tab.getByTestId("scale-top")).toContainText("%");
  near(await numberIn(tab, "scale-top"), (100 * Math.max(...found.largest)) / size);
  await picture(tab, "03-elephant-difference");
  await tab.keyboard.press("3");
  await expect(tab.getByTestId("label-right")).toBeVisible();
  await picture(tab, "04-elephant-side-by-side");
  await tab.keyboard.press("1");
});

test("a horse is fitted to an error", async ({ tab, studio }) => {
  await openCache(tab, "horse-gallop");
  await fit(tab, { error: 5 });
  await settled(tab);
  await expect(tab.getByTestId("number-error")).toContainText("%");
  const rig = await saveAs(tab, studio, "horse", "glb");
  const { percent } = distance(data("horse-gallop/anim.pc2"), played(rig));
  expect(percent).toBeLessThanOrEqual(5);
  expect(percent).toBeGreaterThan(1);
  expect(Math.abs((await numberIn(tab, "number-error")) - percent) / percent).toBeLessThan(0.01);
  await picture(tab, "05-horse-to-an-error");
});
