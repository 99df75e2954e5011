import { faults } from "./faults";
import { click, expect, fitted, shot, test } from "./studio";

const TOOLS = ["open", "fit", "bone", "sculpt", "motion", "skeleton", "save"];
const SIZES = [
  { width: 900, height: 600 },
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
];

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
