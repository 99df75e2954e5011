import {
  another,
  apart,
  changing,
  click,
  expect,
  fitted,
  newTab,
  openSample,
  positions,
  settled,
  shot,
  test,
} from "./studio";

test("help opens by key and button, and closes", async ({ tab }) => {
  await tab.keyboard.press("?");
  await expect(tab.getByTestId("help-overlay")).toBeVisible();
  await shot(tab, "80-help");
  await tab.keyboard.press("Escape");
  await expect(tab.getByTestId("help-overlay")).toHaveCount(0);
  await click(tab, "help");
  await click(tab, "help-close");
  await expect(tab.getByTestId("help-overlay")).toHaveCount(0);
});

test("two tabs show the same, and either undoes", async ({ tab, studio, context }) => {
  await fitted(tab, 6);
  const other = await newTab(context, studio);
  await settled(other);
  expect(await positions(other)).toEqual(await positions(tab));
  await click(tab, "tool-bone");
  await click(tab, "bone-row-1");
  await changing(tab, () => click(tab, "turn-x-plus"));
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("turn") === true);
  await other.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("turn") === true);
  await settled(tab);
  await settled(other);
  expect(apart(await positions(other), await positions(tab))).toBe(0);
  await changing(other, () => click(other, "undo"));
  await tab.waitForFunction(() => !window.sinewStudio.state()!.undo?.includes("turn"));
  await settled(tab);
  await settled(other);
  expect(apart(await positions(other), await positions(tab))).toBe(0);
});

test("a broken connection comes back with the state", async ({ tab }) => {
  await openSample(tab);
  const before = await tab.evaluate(() => window.sinewStudio.state()!.revision);
  await tab.evaluate(() => window.sinewStudio.breakOff());
  await expect(tab.getByTestId("offline")).toBeVisible();
  await tab.waitForFunction(() => window.sinewStudio.connected());
  await expect(tab.getByTestId("offline")).toHaveCount(0);
  expect(await tab.evaluate(() => window.sinewStudio.state()!.revision)).toBeGreaterThanOrEqual(before);
  await fitted(tab, 5);
});

test("a server that was killed offers its session again", async ({ tab, studio }) => {
  await fitted(tab, 6);
  await expect(tab.getByTestId("number-error")).toContainText("%");
  const error = await tab.getByTestId("number-error").textContent();
  await tab.waitForTimeout(3000);
  await studio.kill();
  await expect(tab.getByTestId("offline")).toBeVisible();
  await shot(tab, "81-offline");
  await tab.goto(await studio.start());
  await expect(tab.getByTestId("restore")).toBeVisible();
  await shot(tab, "82-restore");
  await click(tab, "restore");
  await tab.waitForFunction(() => (window.sinewStudio.state()?.versions.length ?? 0) > 0);
  await settled(tab);
  await expect(tab.getByTestId("number-error")).toHaveText(error!);
});

test("two studios on one machine do not take each other's tabs", async ({ tab, context }) => {
  await openSample(tab);
  const other = await another();
  await newTab(context, other);
  await tab.evaluate(() => window.sinewStudio.breakOff());
  await expect(tab.getByTestId("offline")).toBeVisible();
  await tab.waitForFunction(() => window.sinewStudio.connected());
  await fitted(tab, 5);
  await tab.reload();
  await tab.waitForFunction(() => window.sinewStudio?.connected() && window.sinewStudio.state() !== null);
  await settled(tab);
  expect((await positions(tab)).length).toBeGreaterThan(0);
  other.end();
});
