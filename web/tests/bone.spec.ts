import {
  apart,
  baked,
  changing,
  click,
  diagonal,
  enter,
  expect,
  fitted,
  placeOnSurface,
  positions,
  saveAs,
  settled,
  shot,
  test,
  turnRing,
} from "./studio";

test("a bone is picked on the surface, turned, undone, redone and saved", async ({ tab, studio }) => {
  await fitted(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(10));
  await click(tab, "tool-bone");
  const { x, y } = await placeOnSurface(tab, "neck");
  await tab.mouse.click(x, y);
  await expect(tab.getByTestId("tip")).toContainText("drag a ring");
  await enter(tab, "range-from", 5);
  await enter(tab, "range-to", 30);
  const before = await positions(tab);
  await shot(tab, "30-bone-picked");

  await turnRing(tab);
  const size = await diagonal(tab);
  expect(apart(await positions(tab), before)).toBeGreaterThan(0.01 * size);
  await shot(tab, "31-bone-turning");
  await tab.mouse.up();
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("turn") === true);
  await settled(tab);
  const after = await positions(tab);
  expect(apart(after, before)).toBeGreaterThan(0.01 * size);
  await expect(tab.getByTestId("undo")).toBeEnabled();

  await tab.keyboard.press("Control+z");
  await tab.waitForFunction(() => !window.sinewStudio.state()!.undo?.includes("turn"));
  await settled(tab);
  expect(apart(await positions(tab), before)).toBeLessThan(1e-6 * size);
  await tab.keyboard.press("Control+Shift+z");
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("turn") === true);
  await settled(tab);
  expect(apart(await positions(tab), after)).toBeLessThan(1e-6 * size);

  // Outside the range nothing moved.
  const edited = await tab.evaluate(() => window.sinewStudio.version());
  await tab.evaluate(() => window.sinewStudio.setFrame(40));
  const outside = await positions(tab);
  await changing(tab, () => tab.evaluate(() => window.sinewStudio.ask("undo")));
  expect(apart(await positions(tab), outside)).toBeLessThan(1e-6 * size);
  await changing(tab, () => tab.evaluate(() => window.sinewStudio.ask("redo")));
  expect(await tab.evaluate(() => window.sinewStudio.version())).toBe(edited);

  // What is saved is what is seen.
  await tab.evaluate(() => window.sinewStudio.setFrame(10));
  const file = await saveAs(tab, studio, "turned", "glb");
  await shot(tab, "32-saved");
  expect(apart(baked(file, 10), after)).toBeLessThan(1e-4 * size);
});

test("a bone is turned by numbers", async ({ tab }) => {
  await fitted(tab);
  await click(tab, "tool-bone");
  await tab.getByTestId("bone-select").selectOption("3");
  const before = await positions(tab);
  await click(tab, "turn-y-plus");
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("turn") === true);
  await settled(tab);
  expect(apart(await positions(tab), before)).toBeGreaterThan(0);
});
