import AxeBuilder from "@axe-core/playwright";
import { click, expect, fitted, test } from "./studio";

const TOOLS = ["open", "fit", "bone", "sculpt", "motion", "skeleton", "save"];

test("space presses what has the keyboard, and plays after a click", async ({ tab }) => {
  await fitted(tab, 8);
  const pressed = () => tab.getByTestId("toggle-grid").getAttribute("aria-pressed");
  const playing = () => tab.evaluate(() => window.sinewStudio.look().playing);
  // The page knows by the last key that the keyboard is in use.
  await tab.keyboard.press("Tab");
  await tab.getByTestId("toggle-grid").focus();
  const before = await pressed();
  await tab.keyboard.press("Space");
  expect(await pressed()).not.toBe(before);
  expect(await playing()).toBe(false);

  await click(tab, "tool-save");
  await tab.keyboard.press("Tab");
  await tab.getByTestId("save-compact").focus();
  await tab.keyboard.press("Space");
  await expect(tab.getByTestId("save-compact")).toBeChecked();
  expect(await playing()).toBe(false);

  await click(tab, "toggle-grid");
  await tab.keyboard.press("Space");
  expect(await playing()).toBe(true);
});

test("arrows go through tabs and choices, and not through frames meanwhile", async ({ tab }) => {
  await fitted(tab, 8);
  await tab.evaluate(() => window.sinewStudio.setFrame(5));
  const focused = () => tab.evaluate(() => document.activeElement?.getAttribute("data-testid"));
  await tab.getByTestId("tool-open").focus();
  await tab.keyboard.press("ArrowDown");
  expect(await focused()).toBe("tool-fit");
  await expect(tab.getByTestId("panel-fit")).toBeVisible();
  await tab.keyboard.press("End");
  expect(await focused()).toBe("tool-save");
  await tab.keyboard.press("ArrowDown");
  expect(await focused()).toBe("tool-open");

  await tab.getByTestId("view-result").focus();
  await tab.keyboard.press("ArrowRight");
  await expect(tab.getByTestId("view-original")).toHaveAttribute("aria-checked", "true");
  expect(await focused()).toBe("view-original");
  expect(await tab.evaluate(() => window.sinewStudio.frame())).toBe(5);
  // A group is one stop of the Tab key.
  await expect(tab.getByTestId("view-result")).toHaveAttribute("tabindex", "-1");
});

test("a screen reader finds nothing amiss on any panel", async ({ tab }) => {
  await fitted(tab, 8);
  for (const tool of TOOLS) {
    await click(tab, `tool-${tool}`);
    const { violations } = await new AxeBuilder({ page: tab }).analyze();
    const told = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((n) => n.target.join(" ")).join(", ")}`,
    );
    expect(told, tool).toEqual([]);
  }
});
