import {
  apart,
  changing,
  click,
  expect,
  fitted,
  placeOnSurface,
  sample,
  saveAs,
  settled,
  shot,
  sinew,
  test,
} from "./studio";

test("bones are found by name, renamed, hidden and kept through a refit", async ({ tab, studio }) => {
  await fitted(tab, 12);
  await click(tab, "tool-bone");
  const names = await tab.evaluate(() => window.sinewStudio.boneNames());
  await expect(tab.getByTestId("bone-tree").locator(".bone-row")).toHaveCount(names.length);
  await tab.getByTestId("bone-find").fill(names[11]);
  await expect(tab.getByTestId("bone-tree").locator(".bone-row")).toHaveCount(1);
  await click(tab, "bone-row-11");
  expect(await tab.evaluate(() => window.sinewStudio.look().bone)).toBe(11);
  await tab.getByTestId("bone-find").fill("");

  await click(tab, "bone-rename");
  await tab.getByTestId("bone-name").fill(names[0]);
  await tab.keyboard.press("Enter");
  await expect(tab.getByTestId("toast-error")).toContainText("another bone is called");
  await click(tab, "bone-rename");
  await tab.getByTestId("bone-name").fill("left hand");
  await changing(tab, () => tab.keyboard.press("Enter"));
  await expect(tab.getByTestId("bone-row-11")).toContainText("left hand");
  await expect(tab.getByTestId("toast-error")).toHaveCount(0);
  await changing(tab, () => tab.keyboard.press("Control+z"));
  await expect(tab.getByTestId("bone-row-11")).toContainText(names[11]);
  await changing(tab, () => tab.keyboard.press("Control+Shift+z"));

  // What is hidden is neither seen nor picked.
  const place = await placeOnSurface(tab);
  await tab.mouse.click(place.x, place.y);
  const picked = (await tab.evaluate(() => window.sinewStudio.look().bone))!;
  await expect(tab.getByTestId(`bone-row-${picked}`)).toHaveAttribute("aria-pressed", "true");
  await shot(tab, "35-outliner");
  await click(tab, `bone-hidden-${picked}`);
  await shot(tab, "36-hidden");
  // Without its rings, which would take the click.
  await tab.keyboard.press("Escape");
  await tab.mouse.click(place.x, place.y);
  expect(await tab.evaluate(() => window.sinewStudio.look().bone)).not.toBe(picked);
  await click(tab, "bone-show-all");

  // A locked bone keeps its motion, to the last bit, and its name.
  const before = await tab.evaluate(() => window.sinewStudio.palettes());
  await click(tab, "bone-locked-11");
  const count = await tab.evaluate(() => window.sinewStudio.state()!.versions.length);
  await click(tab, "bone-refit");
  await tab.waitForFunction((n) => window.sinewStudio.state()!.versions.length > n, count);
  await settled(tab);
  const after = await tab.evaluate(() => window.sinewStudio.palettes());
  const off = before.map((frame, i) => apart(frame[11], after[i][11]));
  expect(Math.max(...off)).toBeLessThan(1e-6);
  expect(Math.max(...before.map((frame, i) => apart(frame[3], after[i][3])))).toBeGreaterThan(1e-6);
  const file = await saveAs(tab, studio, "renamed", "glb");
  expect(sinew("info", file)).toContain("12");
  expect(await tab.evaluate(() => window.sinewStudio.boneNames())).toContain("left hand");
});

test("joints stand as a tree", async ({ tab }) => {
  await tab.getByTestId("file-input").setInputFiles(sample("character.glb"));
  await expect(tab.getByTestId("opened-name")).toContainText("character");
  await settled(tab);
  await click(tab, "tool-bone");
  const rows = tab.getByTestId("bone-tree").locator(".bone-row .row");
  await expect(rows.first()).toBeVisible();
  const indents = await rows.evaluateAll((all) =>
    all.map((row) => parseFloat(getComputedStyle(row).paddingLeft)),
  );
  expect(new Set(indents).size).toBeGreaterThan(2);
  expect(indents[0]).toBe(Math.min(...indents));
  // By keyboard: down the rows, and Enter chooses.
  await rows.first().focus();
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("Enter");
  const third = Number((await rows.nth(2).getAttribute("data-testid"))!.split("-").at(-1));
  expect(await tab.evaluate(() => window.sinewStudio.look().bone)).toBe(third);
  await shot(tab, "37-tree");
});
