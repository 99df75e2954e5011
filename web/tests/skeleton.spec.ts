import {
  apart,
  changing,
  click,
  diagonal,
  expect,
  openSample,
  positions,
  settled,
  shot,
  test,
} from "./studio";

test("a skeleton is extracted, painted, posed and given an example", async ({ tab }) => {
  await openSample(tab);
  await click(tab, "tool-skeleton");
  await click(tab, "skeleton-start");
  await tab.waitForFunction(
    () => window.sinewStudio.state()!.versions.some((version) => version.skeleton),
    undefined,
    { timeout: 100_000 },
  );
  await settled(tab);
  await tab.waitForTimeout(300);
  await shot(tab, "60-skeleton-inside");

  await click(tab, "handles");
  await tab.waitForFunction(() => window.sinewStudio.state()!.deform !== null, undefined, {
    timeout: 60_000,
  });
  await settled(tab);
  const count = await tab.evaluate(() => window.sinewStudio.state()!.deform!.joints.length);
  await click(tab, `joint-${Math.min(2, count - 1)}`);
  await click(tab, "paint-add");
  const { x, y } = await tab.evaluate(() => window.sinewStudio.seenVertex("body"));
  await tab.mouse.move(x, y);
  await tab.mouse.down();
  await tab.mouse.move(x + 25, y + 5, { steps: 4 });
  await shot(tab, "61-painting");
  await tab.mouse.up();
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("paint") === true);

  await click(tab, "paint-off");
  const before = await positions(tab);
  await tab.getByTestId("pose-z").fill("35");
  await tab.waitForFunction(() =>
    window.sinewStudio.state()!.deform!.pose.some((turn) => Math.hypot(...turn) > 1),
  );
  await settled(tab);
  await tab.waitForTimeout(300);
  const size = await diagonal(tab);
  expect(apart(await positions(tab), before)).toBeGreaterThan(0.01 * size);
  await shot(tab, "62-posed");

  await tab.getByTestId("example-name").fill("bent");
  await click(tab, "example-add");
  await expect(tab.getByTestId("examples")).toContainText("bent");
  const memory = await tab.evaluate(() => window.sinewStudio.state()!.deform!.bytes);
  await tab.getByTestId("anchors").fill("20");
  await tab.waitForFunction((old) => window.sinewStudio.state()!.deform!.bytes !== old, memory, {
    timeout: 60_000,
  });
  await shot(tab, "63-example-and-anchors");

  await click(tab, "example-drop-0");
  await expect(tab.getByTestId("examples")).toHaveCount(0);
  await changing(tab, () => tab.keyboard.press("Control+z"));
  await expect(tab.getByTestId("examples")).toContainText("bent");
  await click(tab, "handles-leave");
  await expect(tab.getByTestId("skeleton-start")).toBeVisible();
  await changing(tab, () => tab.keyboard.press("Control+z"));
  await expect(tab.getByTestId("examples")).toContainText("bent");
});
