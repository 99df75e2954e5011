import {
  apart,
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

test("views, the heat map and what is drawn", async ({ tab }) => {
  await fitted(tab);
  await shot(tab, "10-rig");
  await tab.keyboard.press("2");
  await expect(tab.getByTestId("view-original")).toHaveAttribute("aria-checked", "true");
  await shot(tab, "11-original");
  await tab.keyboard.press("3");
  await expect(tab.getByTestId("label-right")).toBeVisible();
  await tab.keyboard.press("f");
  await shot(tab, "12-side-by-side");
  await tab.keyboard.press("4");
  await tab.keyboard.press("f");
  await expect(tab.getByTestId("scale-top")).toContainText("%");
  const top = await tab.getByTestId("scale-top").textContent();
  await shot(tab, "13-difference");
  await click(tab, "scale-halve");
  await expect(tab.getByTestId("scale-top")).not.toHaveText(top!);
  await tab.keyboard.press("1");
  for (const [key, id] of [
    ["w", "wireframe"],
    ["b", "bones"],
  ]) {
    await tab.keyboard.press(key);
    await expect(tab.getByTestId(`toggle-${id}`)).toHaveAttribute("aria-pressed", "true");
    await shot(tab, `14-${id}`);
    await tab.keyboard.press(key);
  }
  const { x, y } = await placeOnSurface(tab);
  await tab.mouse.click(x, y);
  await tab.keyboard.press("g");
  await expect(tab.getByTestId("scale")).toContainText("Weight of bone");
  await shot(tab, "15-weights");
});

test("the timeline scrubs, plays and finds the worst frame", async ({ tab }) => {
  await fitted(tab);
  await expect(tab.getByTestId("number-error")).toContainText("%");
  const state = await tab.evaluate(() => window.sinewStudio.state()!);
  const box = (await tab.getByTestId("timeline").boundingBox())!;
  await tab.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.5);
  const middle = await tab.evaluate(() => window.sinewStudio.frame());
  expect(Math.abs(middle - state.frames / 2)).toBeLessThanOrEqual(1);
  await tab.keyboard.press("ArrowRight");
  expect(await tab.evaluate(() => window.sinewStudio.frame())).toBe(middle + 1);
  await tab.keyboard.press("Space");
  await tab.waitForFunction((frame) => window.sinewStudio.frame() !== frame, middle + 1);
  await tab.keyboard.press("Space");
  await click(tab, "worst");
  const worst = state.versions.find((version) => version.id === state.current)!.worst_frame!;
  expect(await tab.evaluate(() => window.sinewStudio.frame())).toBe(worst);
  await expect(tab.getByTestId("frame-error")).toContainText("%");
});

test("numbers are in sight and true", async ({ tab }) => {
  await fitted(tab);
  await expect(tab.getByTestId("number-bones")).toHaveText("12");
  await expect(tab.getByTestId("number-error")).toContainText("%");
  await expect(tab.getByTestId("number-bytes")).toContainText("B");
  // The error, from what is drawn: the mean distance in this frame, in percent of the diagonal.
  await settled(tab);
  await tab.waitForFunction(() => window.sinewStudio.look().errors !== null);
  const said = await tab.evaluate(() => window.sinewStudio.look().errors!.per_frame[0]);
  const [rig, original] = [await positions(tab), await tab.evaluate(() => window.sinewStudio.original())];
  let sum = 0;
  for (let i = 0; i < rig.length; i += 3)
    sum += Math.hypot(rig[i] - original[i], rig[i + 1] - original[i + 1], rig[i + 2] - original[i + 2]);
  const size = await diagonal(tab);
  expect(Math.abs((300 * sum) / (rig.length * size) - said)).toBeLessThan(0.01 * said + 1e-6);
  expect(apart(rig, original)).toBeLessThan(0.2 * size);
});
