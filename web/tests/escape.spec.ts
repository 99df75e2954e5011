import type { Page } from "@playwright/test";
import {
  apart,
  click,
  diagonal,
  expect,
  fitted,
  placeOnSurface,
  positions,
  sample,
  settled,
  test,
} from "./studio";

/** What must be as it was: revision and undo of the session, and what is shown. */
const facts = (page: Page) =>
  page.evaluate(() => {
    const { undo, redo, versions, current } = window.sinewStudio.state()!;
    return { undo, redo, current, versions: versions.map(({ key }) => key) };
  });

/** Presses at a place, moves on, gives up, and lets go. */
async function givenUp(
  page: Page,
  at: { x: number; y: number },
  changed: () => Promise<void>,
): Promise<void> {
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) await page.mouse.move(at.x + 6 * i, at.y - 9 * i);
  await changed();
  await page.keyboard.press("Escape");
  await page.mouse.move(at.x + 80, at.y - 20);
  await page.mouse.up();
  await page.waitForTimeout(300);
}

test("Escape gives up a stroke and a turn, and leaves no trace", async ({ tab }) => {
  await fitted(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(10));
  const size = await diagonal(tab);
  const [before, shown] = [await facts(tab), await positions(tab)];
  const moved = async () => {
    await expect.poll(async () => apart(await positions(tab), shown)).toBeGreaterThan(1e-4 * size);
  };
  await click(tab, "tool-sculpt");
  for (const mode of ["grab", "smooth"] as const) {
    await tab.evaluate((mode) => {
      const { brush } = window.sinewStudio.look();
      window.sinewStudio.set({ brush: { ...brush, mode, strength: 1 } });
    }, mode);
    await givenUp(tab, await placeOnSurface(tab), moved);
    expect(apart(await positions(tab), shown), mode).toBe(0);
    expect(await facts(tab)).toEqual(before);
  }
  await click(tab, "tool-bone");
  const { x, y } = await placeOnSurface(tab, "neck");
  await tab.mouse.click(x, y);
  const ring = await tab.evaluate(() => window.sinewStudio.ring());
  await givenUp(tab, { x: ring.x + ring.radius, y: ring.y }, moved);
  expect(apart(await positions(tab), shown), "turn").toBe(0);
  expect(await facts(tab)).toEqual(before);
  expect(await tab.evaluate(() => window.sinewStudio.look().bone), "the bone stays picked").not.toBeNull();
  // The next turn is whole again.
  await tab.mouse.move(ring.x + ring.radius, ring.y);
  await tab.mouse.down();
  await tab.mouse.move(ring.x + ring.radius - 5, ring.y - 40, { steps: 5 });
  await tab.mouse.up();
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("turn") === true);
});

test("Escape gives up paint and a pose", async ({ tab }) => {
  await tab.evaluate((path) => window.sinewStudio.ask("open", { paths: [path] }), sample("character.glb"));
  await settled(tab);
  await click(tab, "tool-skeleton");
  await tab.evaluate(() => window.sinewStudio.ask("handles"));
  await tab.waitForFunction(() => window.sinewStudio.state()!.deform !== null);
  await settled(tab);
  const size = await diagonal(tab);
  const [before, shown] = [await facts(tab), await positions(tab)];
  const joint = await tab.evaluate(() => {
    const { joints } = window.sinewStudio.state()!.deform!;
    return joints.findIndex(({ parent }) => parent !== null && parent > 0);
  });
  await tab.evaluate((joint) => window.sinewStudio.set({ joint }), joint);
  await tab.waitForTimeout(500);
  const ring = await tab.evaluate(() => window.sinewStudio.ring());
  await givenUp(tab, { x: ring.x + ring.radius, y: ring.y }, async () => {
    await expect.poll(async () => apart(await positions(tab), shown)).toBeGreaterThan(1e-4 * size);
  });
  expect(apart(await positions(tab), shown)).toBe(0);
  expect(await facts(tab)).toEqual(before);

  const marks = await tab.evaluate(() => window.sinewStudio.marks());
  await tab.evaluate(() => window.sinewStudio.set({ paint: "add", paintRadius: 0.1 }));
  await givenUp(tab, await placeOnSurface(tab), async () => {
    expect(await tab.evaluate(() => window.sinewStudio.marks())).not.toEqual(marks);
  });
  expect(await tab.evaluate(() => window.sinewStudio.marks())).toEqual(marks);
  expect(await facts(tab)).toEqual(before);
});
