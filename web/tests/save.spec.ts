import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  apart,
  baked,
  cacheFrame,
  click,
  diagonal,
  expect,
  fitted,
  positions,
  shot,
  sinew,
  test,
} from "./studio";

test("every format is written, and holds what is seen", async ({ tab, studio }) => {
  await fitted(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(7));
  const shown = await positions(tab);
  const size = await diagonal(tab);
  await click(tab, "tool-save");
  for (const format of ["glb", "sinew", "fbx", "usdz", "usda", "abc", "pc2", "mdd", "npz"]) {
    await tab.getByTestId("save-format").selectOption(format);
    const lost = tab.getByTestId("save-loses");
    if (["pc2", "mdd"].includes(format))
      for (const what of ["UVs", "bones", "weights"]) await expect(lost).toContainText(what);
    if (format === "glb") await expect(lost).toBeEmpty();
    await tab.getByTestId("save-name").fill(`all-${format}`);
    await click(tab, "save-start");
    await tab.waitForFunction(
      (ending) => window.sinewStudio.state()!.saved?.endsWith(ending) === true,
      `all-${format}.${format}`,
    );
    const file = join(studio.folder, `all-${format}.${format}`);
    expect(statSync(file).size).toBeGreaterThan(100);
    if (["glb", "sinew", "fbx"].includes(format))
      expect(apart(baked(file, 7), shown)).toBeLessThan(1e-3 * size);
    if (format === "pc2") expect(apart(cacheFrame(file, 7), shown)).toBeLessThan(1e-5 * size);
  }
  await shot(tab, "70-save");
});

test("a picture, a report and a download", async ({ tab, studio }) => {
  await fitted(tab);
  await click(tab, "tool-save");
  await tab.getByTestId("save-name").fill("seen");
  await tab.getByTestId("save-name").blur();
  await click(tab, "save-picture");
  await expect.poll(() => existsSync(join(studio.folder, "seen.png")), { timeout: 60_000 }).toBe(true);
  expect(readFileSync(join(studio.folder, "seen.png")).subarray(1, 4).toString()).toBe("PNG");
  await click(tab, "save-report");
  await expect.poll(() => existsSync(join(studio.folder, "seen.html")), { timeout: 60_000 }).toBe(true);
  const report = readFileSync(join(studio.folder, "seen.html"), "utf8");
  expect(report).not.toContain("<script");
  expect(report).not.toMatch(/(src|href)="https?:/);
  // With what is seen now, and from the same side.
  expect(report).toContain("as it was seen, frame 0");
  const reported = tab.waitForEvent("download");
  await click(tab, "download-report");
  const again = join(studio.folder, "again.html");
  await (await reported).saveAs(again);
  expect(readFileSync(again, "utf8")).toContain("as it was seen, frame 0");
  const front = /<figcaption>[^<]*which bones move what/.exec(report);
  expect(front).not.toBeNull();
  await tab.mouse.move(600, 300);
  await tab.mouse.wheel(0, 0);
  await tab.keyboard.press("2");
  await tab.evaluate(() => window.sinewStudio.setFrame(9));
  await tab.getByTestId("save-name").fill("original");
  await click(tab, "save-report");
  await expect.poll(() => existsSync(join(studio.folder, "original.html")), { timeout: 60_000 }).toBe(true);
  const other = readFileSync(join(studio.folder, "original.html"), "utf8");
  expect(other).toContain("as it was seen, frame 9");
  const images = (text: string) => [...text.matchAll(/base64,([^"]+)"/g)].map((match) => match[1]);
  expect(images(other)[0], "another frame, another view").not.toBe(images(report)[0]);
  expect(images(other)[1], "the same side").toBe(images(report)[1]);
  await tab.getByTestId("save-name").fill("seen");

  const coming = tab.waitForEvent("download");
  await click(tab, "download");
  const file = join(studio.folder, "downloaded.glb");
  await (await coming).saveAs(file);
  expect(sinew("info", file)).toContain("12");
});
