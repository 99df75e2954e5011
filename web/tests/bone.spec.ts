import { join } from "node:path";
import {
  apart,
  baked,
  changing,
  click,
  diagonal,
  expect,
  fitted,
  placeOnSurface,
  positions,
  settled,
  shot,
  test,
} from "./studio";

test("a bone is picked on the surface, turned, undone, redone and saved", async ({ tab, studio }) => {
  await fitted(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(10));
  await click(tab, "tool-bone");
  const { x, y } = await placeOnSurface(tab, "neck");
  await tab.mouse.click(x, y);
  await expect(tab.getByTestId("tip")).toContainText("drag a ring");
  await tab.getByTestId("range-from").fill("5");
  await tab.getByTestId("range-from").blur();
  await tab.getByTestId("range-to").fill("30");
  await tab.getByTestId("range-to").blur();
  const before = await positions(tab);
  await shot(tab, "30-bone-picked");

  // The ring that faces the camera is drawn around the bone: a hand takes it at its right.
  const ring = await tab.evaluate(() => window.sinewStudio.ring());
  await tab.mouse.move(ring.x + ring.radius, ring.y);
  await tab.mouse.down();
  for (let i = 1; i <= 8; i++)
    await tab.mouse.move(
      ring.x + ring.radius * Math.cos(i * 0.08),
      ring.y - ring.radius * Math.sin(i * 0.08),
    );
  await tab.waitForFunction(() => window.sinewStudio.latency().turn.length > 0);
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
  await click(tab, "tool-save");
  await tab.getByTestId("save-name").fill("turned");
  await click(tab, "save-start");
  await tab.waitForFunction(() => window.sinewStudio.state()!.saved?.endsWith("turned.glb") === true);
  await shot(tab, "32-saved");
  expect(apart(baked(join(studio.folder, "turned.glb"), 10), after)).toBeLessThan(1e-4 * size);
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
