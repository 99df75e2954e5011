import type { Page } from "@playwright/test";
import { click, expect, fitted, shot, test } from "./studio";

const TOOLS = ["open", "fit", "bone", "sculpt", "motion", "skeleton", "save"];
const SIZES = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
];

/** Controls that stick out of what holds them, lie over each other, or cut their own words off. */
function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const seen = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const controls = [
      ...document.querySelectorAll<HTMLElement>("button, input, select, a.button, canvas"),
    ].filter(seen);
    const name = (element: Element) => element.getAttribute("data-testid") ?? element.outerHTML.slice(0, 60);
    for (const control of controls) {
      const box = control.getBoundingClientRect();
      const holder = control
        .closest(".side, .topbar, .rail, .timeline, .view, .help")
        ?.getBoundingClientRect();
      if (!holder) continue;
      if (box.left < holder.left - 1 || box.right > holder.right + 1)
        found.push(`${name(control)} sticks out`);
      if (
        control.tagName === "BUTTON" &&
        !control.classList.contains("row") &&
        control.scrollWidth > control.clientWidth + 1
      ) {
        found.push(`${name(control)} is cut`);
      }
    }
    const buttons = controls.filter((control) => control.tagName === "BUTTON");
    for (let i = 0; i < buttons.length; i++) {
      for (let j = i + 1; j < buttons.length; j++) {
        const [a, b] = [buttons[i].getBoundingClientRect(), buttons[j].getBoundingClientRect()];
        const same =
          buttons[i].closest(".list") !== buttons[j].closest(".list") ||
          buttons[i].closest(".side") !== buttons[j].closest(".side");
        const over =
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
        if (over && !same) found.push(`${name(buttons[i])} lies over ${name(buttons[j])}`);
      }
    }
    for (const side of document.querySelectorAll<HTMLElement>(".side, .topbar, .rail, body")) {
      if (side.scrollWidth > side.clientWidth + 1)
        found.push(`${side.className || "the page"} is wider than its place`);
    }
    for (const fixed of document.querySelectorAll<HTMLElement>(".topbar, .rail")) {
      if (fixed.scrollHeight > fixed.clientHeight + 1)
        found.push(`${fixed.className} is taller than its place`);
    }
    return found;
  });
}

for (const size of SIZES) {
  test(`nothing overlaps or is cut at ${size.width} by ${size.height}`, async ({ tab }) => {
    await tab.setViewportSize(size);
    await fitted(tab, 8);
    // Text is as large for the eye as on a small screen, or nearly.
    const text = await tab.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
    expect(text).toBeGreaterThan(size.height / 85);
    for (const tool of TOOLS) {
      await click(tab, `tool-${tool}`);
      expect(await faults(tab), tool).toEqual([]);
      await shot(tab, `90-${size.width}-${tool}`);
    }
    await tab.keyboard.press("?");
    expect(await faults(tab)).toEqual([]);
  });
}

test("every control has a name", async ({ tab }) => {
  await fitted(tab, 8);
  for (const tool of TOOLS) {
    await click(tab, `tool-${tool}`);
    const nameless = await tab.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, input, select")]
        .filter(
          (control) =>
            !(control.getAttribute("aria-label") || control.textContent?.trim() || control.closest("label")),
        )
        .map((control) => control.outerHTML),
    );
    expect(nameless).toEqual([]);
  }
});
