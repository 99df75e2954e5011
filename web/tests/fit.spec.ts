import { click, expect, fit, fitted, openSample, settled, shot, test } from "./studio";

test("fits are kept as versions to flip between", async ({ tab }) => {
  await fitted(tab, 8);
  await shot(tab, "20-fit");
  const first = await tab.evaluate(() => window.sinewStudio.version());
  await fitted(tab, 20);
  const second = await tab.evaluate(() => window.sinewStudio.version());
  expect(second).not.toBe(first);
  await expect(tab.getByTestId("number-bones")).toHaveText("20");
  await click(tab, `version-${first}`);
  await expect(tab.getByTestId("number-bones")).toHaveText("8");
  await settled(tab);
  await expect(tab.getByTestId("curve-8")).toBeVisible();
  await tab.getByTestId("curve-20").click();
  await expect(tab.getByTestId("number-bones")).toHaveText("20");
  await settled(tab);
  await shot(tab, "21-versions-and-curve");
});

test("a fit starts from what is chosen of the library's list", async ({ tab }) => {
  await openSample(tab);
  await click(tab, "tool-fit");
  const starts = tab.getByTestId("fit-segmenter");
  await expect(starts.locator("option").first()).toHaveText("turns");
  await starts.selectOption("regions");
  await fit(tab, { bones: 6 });
  await expect(tab.getByTestId("number-bones")).toHaveText("6");
  await click(tab, "tool-skeleton");
  await expect(tab.getByTestId("skeleton-segmenter").locator("option").first()).toHaveText("best");
});

test("a version is renamed and deleted", async ({ tab }) => {
  await fitted(tab, 6);
  const id = await tab.evaluate(() => window.sinewStudio.version());
  await click(tab, "rename");
  await tab.getByTestId("rename-input").fill("Six bones");
  await tab.keyboard.press("Enter");
  await expect(tab.getByTestId(`version-${id}`)).toContainText("Six bones");
  await click(tab, "delete");
  await expect(tab.getByTestId(`version-${id}`)).toHaveCount(0);
});

test("a fit shows how far it is and can be cancelled", async ({ tab }) => {
  await openSample(tab);
  const before = await tab.evaluate(() => window.sinewStudio.state()!.versions.length);
  await click(tab, "tool-fit");
  await click(tab, "fit-goal-bones");
  await tab.getByTestId("fit-bones").fill("120");
  await tab.getByTestId("fit-bones").blur();
  await click(tab, "fit-start");
  await expect(tab.getByTestId("job-fit")).toBeVisible();
  await shot(tab, "22-fit-progress");
  await click(tab, "cancel-fit");
  await expect(tab.getByTestId("job-fit")).toHaveCount(0);
  expect(await tab.evaluate(() => window.sinewStudio.state()!.versions.length)).toBe(before);
});
