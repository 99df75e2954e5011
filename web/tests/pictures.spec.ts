/** The pages' pictures: one for each tool, of the sample creature. `web/pictures.sh` puts them into docs/. */
import { cpSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import {
  changing,
  click,
  expect,
  fitted,
  openSample,
  placeOnSurface,
  sample,
  settled,
  shot,
  type Studio,
  test,
} from "./studio";

/** Lets short messages go, so that they hide nothing. */
const quiet = (page: Page) =>
  page.evaluate(() =>
    document.querySelectorAll('[data-testid="toasts"] > *').forEach((toast) => toast.remove()),
  );

async function drag(page: Page, at: { x: number; y: number }, way: [number, number][]): Promise<void> {
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (const [x, y] of way) await page.mouse.move(at.x + x, at.y + y, { steps: 4 });
}

/** A studio on a folder with a name that says something, and a tab of it. */
async function inFolder(page: Page, studio: Studio): Promise<string> {
  const folder = join(tmpdir(), "creature");
  rmSync(folder, { recursive: true, force: true });
  cpSync(dirname(sample("walk.bvh")), folder, { recursive: true });
  await studio.kill();
  await page.goto(await studio.start([], ["--folder", folder]));
  await page.waitForFunction(() => window.sinewStudio?.connected() && window.sinewStudio.state() !== null);
  await settled(page);
  return folder;
}

test("fitting, looking, turning, sculpting and saving", async ({ page: tab, studio }) => {
  const folder = await inFolder(tab, studio);
  await openSample(tab);
  for (const bones of [8, 14, 24]) await fitted(tab, bones);
  await tab.waitForFunction(() => window.sinewStudio.state()!.versions.every((v) => v.percent !== null));
  await tab.evaluate(() => window.sinewStudio.setFrame(12));
  await shot(tab, "studio-fit");
  const first = await tab.evaluate(() => window.sinewStudio.state()!.versions[0].id);
  await click(tab, `version-${first}`);
  await settled(tab);
  await tab.keyboard.press("4");
  await tab.keyboard.press("e");
  await tab.waitForFunction(() => window.sinewStudio.look().errors !== null);
  await tab.waitForTimeout(500);
  await shot(tab, "studio-difference");
  await tab.keyboard.press("1");
  await click(tab, `version-${await tab.evaluate(() => window.sinewStudio.state()!.versions[2].id)}`);
  await settled(tab);

  await click(tab, "tool-bone");
  await tab.evaluate(() => {
    window.sinewStudio.setFrame(18);
    window.sinewStudio.set({ range: [8, 34], ease: 6 });
  });
  const neck = await placeOnSurface(tab, "neck");
  await tab.mouse.click(neck.x, neck.y);
  const ring = await tab.evaluate(() => window.sinewStudio.ring());
  const turn = [0.1, 0.2, 0.3, 0.4].map((angle): [number, number] => [
    ring.radius * (Math.cos(angle) - 1),
    -ring.radius * Math.sin(angle),
  ]);
  await drag(tab, { x: ring.x + ring.radius, y: ring.y }, turn);
  await tab.waitForFunction(() => window.sinewStudio.latency().turn.length > 2);
  await tab.waitForTimeout(500);
  await shot(tab, "studio-bone");
  await tab.keyboard.press("Escape");
  await tab.mouse.up();

  await click(tab, "tool-sculpt");
  await tab.waitForTimeout(500);
  for (let i = 0; i < 4; i++) await tab.keyboard.press("]");
  await expect(tab.getByTestId("brush-radius")).not.toHaveValue("0.08");
  const back = await placeOnSurface(tab, "body");
  await drag(tab, back, [
    [0, -15],
    [4, -30],
  ]);
  await tab.waitForFunction(() => window.sinewStudio.latency().brush.length > 2);
  await tab.waitForTimeout(500);
  await shot(tab, "studio-sculpt");
  await changing(tab, () => tab.mouse.up());

  await click(tab, "tool-save");
  await tab.getByTestId("save-folder").selectOption(folder);
  await tab.getByTestId("save-name").fill("taller");
  await click(tab, "save-start");
  await tab.waitForFunction(() => window.sinewStudio.state()!.saved?.endsWith("taller.glb") === true);
  await settled(tab);
  await shot(tab, "studio-save");
  rmSync(folder, { recursive: true });
});

test("opening files", async ({ page, studio }) => {
  const folder = await inFolder(page, studio);
  await click(page, "close");
  await page.getByTestId("files-root").selectOption(folder);
  for (const name of ["anim.pc2", "rest.obj"]) await click(page, `files-file-${name}`);
  await shot(page, "studio-open");
  await click(page, "open-chosen");
  await page.waitForFunction(() => (window.sinewStudio.state()?.vertices ?? 0) > 0);
  rmSync(folder, { recursive: true });
});

test("motion and a posed character", async ({ tab }) => {
  await tab.evaluate((path) => window.sinewStudio.ask("open", { paths: [path] }), sample("character.glb"));
  await settled(tab);
  await click(tab, "tool-motion");
  await tab.getByTestId("motion-input").setInputFiles(sample("walk.bvh"));
  await tab.waitForFunction(() => (window.sinewStudio.state()!.transplant?.map.length ?? 0) > 0);
  await expect(tab.getByTestId("motion-up")).toBeVisible();
  await tab.getByTestId("preview-frames").fill("24");
  await tab.getByTestId("preview-frames").blur();
  await click(tab, "preview");
  await tab.waitForFunction(() => window.sinewStudio.state()!.versions.some((v) => v.kind === "transplant"));
  await settled(tab);
  await tab.evaluate(() => {
    window.sinewStudio.setFrame(14);
    document.querySelector(".side.left")!.scrollTop = 0;
  });
  await quiet(tab);
  await shot(tab, "studio-motion");
  await click(tab, "drop-motion");
  await settled(tab);

  await click(tab, "tool-skeleton");
  await click(tab, "handles");
  await tab.waitForFunction(() => window.sinewStudio.state()!.deform !== null, undefined, {
    timeout: 60_000,
  });
  await settled(tab);
  await click(tab, "joint-2");
  await tab.getByTestId("pose-y").fill("-25");
  await tab.getByTestId("pose-y").blur();
  await tab.waitForFunction(() =>
    window.sinewStudio.state()!.deform!.pose.some((turn) => Math.hypot(...turn) > 1),
  );
  await settled(tab);
  await tab.waitForTimeout(500);
  await quiet(tab);
  await tab.keyboard.press("f");
  await shot(tab, "studio-deform");
});
