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
  // Nothing says what hangs on what.
  await expect(tab.getByTestId("reach-alone")).toHaveAttribute("aria-checked", "true");
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
  await click(tab, "bone-row-3");
  const before = await positions(tab);
  await click(tab, "turn-y-plus");
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo?.includes("turn") === true);
  await settled(tab);
  expect(apart(await positions(tab), before)).toBeGreaterThan(0);
});

test("the fade in the timeline is what frames get", async ({ tab }) => {
  await fitted(tab, 6);
  await click(tab, "tool-bone");
  await click(tab, "bone-row-2");
  const range: [number, number] = [6, 24];
  for (const frame of [6, 14, 24]) {
    await tab.evaluate(
      ([range, frame]) => {
        window.sinewStudio.set({ range, ease: 5 });
        window.sinewStudio.setFrame(frame);
      },
      [range, frame] as const,
    );
    await shot(tab, `33-fade-${frame}`);
    const before = await tab.evaluate(() => window.sinewStudio.palettes());
    await changing(tab, () => tab.evaluate(() => window.sinewStudio.turnBy("y", 40)));
    const after = await tab.evaluate(() => window.sinewStudio.palettes());
    const drawn = await tab.evaluate((count) => {
      return Array.from({ length: count }, (_, i) => window.sinewStudio.share(i));
    }, after.length);
    const done = after.map((palette, i) => turned(before[i][2], palette[2]) / 40);
    drawn.forEach((share, i) => expect(Math.abs(share - done[i]), `frame ${i}`).toBeLessThan(0.01));
    expect(drawn[frame]).toBe(1);
    expect(drawn[5]).toBe(0);
    await changing(tab, () => click(tab, "undo"));
  }
});

/** Degrees that lie between two bones, given as matrices by rows that may stretch. */
function turned(a: number[], b: number[]): number {
  // The turn from a to b is b times the inverse of a, whatever both stretch: its trace tells the angle.
  const at = (m: number[], r: number, c: number) => m[r * 4 + c];
  const minor = (r: number, c: number) => {
    const [r1, r2, c1, c2] = [(r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3];
    return at(a, r1, c1) * at(a, r2, c2) - at(a, r1, c2) * at(a, r2, c1);
  };
  const determinant = [0, 1, 2].reduce((sum, c) => sum + at(a, 0, c) * minor(0, c), 0);
  let trace = 0;
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) trace += (at(b, r, c) * minor(r, c)) / determinant;
  return (Math.acos(Math.min(1, Math.max(-1, (trace - 1) / 2))) * 180) / Math.PI;
}
