/** What a first user of the studio tripped over, each of it once. */
import AxeBuilder from "@axe-core/playwright";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import {
  click,
  enter,
  expect,
  fitted,
  goTo,
  openSample,
  sample,
  saveAs,
  settled,
  shot,
  test,
} from "./studio";

/** What a screen reader would trip over. */
async function amiss(tab: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: tab }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target.join(" ")).join(", ")}`);
}

test("a screen reader finds nothing amiss in the middle of work either", async ({ tab }) => {
  await tab.keyboard.press("?");
  expect(await amiss(tab), "help").toEqual([]);
  await tab.keyboard.press("Escape");
  await tab.getByTestId("file-input").setInputFiles(sample("character.glb"));
  await expect(tab.getByTestId("opened-name")).toContainText("character");
  await settled(tab);
  await click(tab, "tool-motion");
  await tab.getByTestId("motion-input").setInputFiles(sample("walk.bvh"));
  await tab.waitForFunction(() => (window.sinewStudio.state()!.transplant?.map.length ?? 0) > 0);
  await click(tab, "source-0");
  expect(await amiss(tab), "motion").toEqual([]);
  await click(tab, "drop-motion");
  await click(tab, "tool-skeleton");
  await click(tab, "handles");
  await tab.waitForFunction(() => window.sinewStudio.state()!.deform !== null);
  await click(tab, "joint-1");
  await click(tab, "paint-add");
  await click(tab, "example-add");
  await expect(tab.getByTestId("examples")).toContainText("pose");
  expect(await amiss(tab), "skeleton").toEqual([]);
  await click(tab, "tool-sculpt");
  await tab.evaluate(() => window.sinewStudio.ask("select", { version: 99 }));
  await expect(tab.getByTestId("toast-error")).toBeVisible();
  expect(await amiss(tab), "a refusal").toEqual([]);
});

test("a folder of frames is opened from the list, and Shift marks a row of files", async ({
  tab,
  studio,
}) => {
  const frames = join(studio.folder, "frames");
  mkdirSync(frames);
  for (let i = 0; i < 4; i++) copyFileSync(sample("rest.obj"), join(frames, `frame_${i}.obj`));
  await click(tab, "tool-fit");
  await click(tab, "tool-open");
  await click(tab, "files-folder-frames");
  await click(tab, "files-file-frame_0.obj");
  await tab.getByTestId("files-file-frame_2.obj").click({ modifiers: ["Shift"] });
  await expect(tab.getByTestId("open-chosen")).toHaveText("Open 3 files");
  await click(tab, "files-whole");
  await tab.waitForFunction(() => window.sinewStudio.state()!.frames === 4);
});

test("a list stays where it was scrolled to", async ({ tab, studio }) => {
  for (let i = 10; i < 60; i++) copyFileSync(sample("rest.obj"), join(studio.folder, `mesh_${i}.obj`));
  await click(tab, "tool-fit");
  await click(tab, "tool-open");
  const list = tab.getByTestId("panel-open").locator(".list");
  await expect(tab.getByTestId("files-file-mesh_59.obj")).toBeAttached();
  await list.evaluate((element) => element.scrollTo(0, 10_000));
  const at = await list.evaluate((element) => element.scrollTop);
  expect(at).toBeGreaterThan(100);
  await click(tab, "files-file-mesh_58.obj");
  expect(await list.evaluate((element) => element.scrollTop)).toBe(at);
});

test("there are no half bones", async ({ tab }) => {
  await openSample(tab);
  await click(tab, "tool-fit");
  await click(tab, "fit-goal-bones");
  await enter(tab, "fit-bones", 2.5);
  await expect(tab.getByTestId("fit-bones")).toHaveValue("3");
});

test("a studio that was started anew says so in the old tab", async ({ page: tab, studio }) => {
  await goTo(tab, studio.url);
  await openSample(tab);
  const port = new URL(studio.url).port;
  await studio.kill();
  await studio.start([], ["--port", port]);
  await expect(tab.getByTestId("offline")).toContainText("started anew");
});

test("the timeline says mean and largest, on one scale for all versions", async ({ tab }) => {
  await fitted(tab, 4);
  await click(tab, "worst");
  await expect(tab.getByTestId("frame-error")).toHaveText(
    /[\d.]+ % of the size in the mean, [\d.]+ % at most/,
  );
  const state = await tab.evaluate(() => window.sinewStudio.state()!);
  expect(await tab.evaluate(() => window.sinewStudio.frame())).toBe(state.versions[0].worst_frame);
});

test("cancelling is heard at once, in the earliest phases", async ({ tab }) => {
  await openSample(tab);
  for (const [action, fields] of [
    ["fit", { goal: { error: 0.1 } }],
    ["fit", {}],
    ["curve", {}],
    ["skeleton", {}],
  ] as const) {
    const began = await tab.evaluate(
      async ([action, fields]) => {
        const job = (await window.sinewStudio.ask(action, fields)) as { job: number };
        const start = performance.now();
        await window.sinewStudio.ask("cancel", { job: job.job });
        while (window.sinewStudio.state()!.jobs.length > 0) await new Promise((done) => setTimeout(done, 10));
        return performance.now() - start;
      },
      [action, fields] as const,
    );
    // The contract is half a second, on a machine that does nothing else.
    expect(began, action).toBeLessThan(5000);
  }
  expect(await tab.evaluate(() => window.sinewStudio.state()!.versions.length)).toBe(0);
});

test("the folder tells caches of one name apart, and names what is saved", async ({ tab, studio }) => {
  for (const animal of ["horse", "cow"]) {
    const folder = join(studio.folder, animal);
    mkdirSync(folder);
    for (const name of ["anim.pc2", "rest.obj"]) copyFileSync(sample(name), join(folder, name));
    await tab.evaluate(
      (folder) =>
        window.sinewStudio.ask("open", { paths: [`${folder}/anim.pc2`], rest: `${folder}/rest.obj` }),
      folder,
    );
    await expect(tab.getByTestId("opened-name")).toContainText(animal);
    await fitted(tab, 3);
    await click(tab, "tool-save");
    await expect(tab.getByTestId("save-name")).toHaveValue(animal);
    await click(tab, "tool-open");
  }
});

test("a refusal goes when what it was about is done", async ({ tab }) => {
  await openSample(tab);
  await tab.evaluate(() => window.sinewStudio.ask("rename", { version: 99, name: "none" }));
  await expect(tab.getByTestId("toast-error")).toBeVisible();
  await fitted(tab, 3);
  await expect(tab.getByTestId("toast-error")).toBeVisible();
  const version = await tab.evaluate(() => window.sinewStudio.version());
  await tab.evaluate((version) => window.sinewStudio.ask("rename", { version, name: "mine" }), version);
  await expect(tab.getByTestId("toast-error")).toHaveCount(0);
});

test("help keeps the keyboard, and gives it back", async ({ tab }) => {
  await tab.keyboard.press("Tab");
  await tab.getByTestId("tool-fit").focus();
  await tab.keyboard.press("?");
  await expect(tab.getByTestId("help-close")).toBeFocused();
  await tab.keyboard.press("Tab");
  expect(await tab.evaluate(() => document.activeElement?.closest(".help, body")?.className)).not.toBe(
    "rail",
  );
  expect(await tab.evaluate(() => document.activeElement?.getAttribute("data-testid"))).not.toBe("undo");
  await tab.getByTestId("help-close").focus();
  await tab.keyboard.press("Escape");
  await expect(tab.getByTestId("tool-fit")).toBeFocused();
});

test("a posed character opens again from its file", async ({ tab, studio }) => {
  await tab.getByTestId("file-input").setInputFiles(sample("character.glb"));
  await expect(tab.getByTestId("opened-name")).toContainText("character");
  await settled(tab);
  await click(tab, "tool-skeleton");
  await click(tab, "handles");
  await tab.waitForFunction(() => window.sinewStudio.state()!.deform !== null);
  await click(tab, "example-add");
  await expect(tab.getByTestId("examples")).toContainText("pose 1");
  const file = await saveAs(tab, studio, "kept", "deform");
  await click(tab, "tool-open");
  tab.on("dialog", (dialog) => void dialog.accept());
  await click(tab, "close");
  await tab.waitForFunction(() => window.sinewStudio.state()!.vertices === 0);
  await expect(tab.getByTestId("files-file-kept.deform")).toBeVisible();
  await tab.getByTestId("files-file-kept.deform").dblclick();
  await expect(tab.getByTestId("opened-name")).toContainText("kept.deform");
  await settled(tab);
  await click(tab, "tool-skeleton");
  await expect(tab.getByTestId("examples")).toContainText("pose 1");
  expect(file).toContain("kept");
});

test("many files are found by name, frame 9 before frame 10", async ({ tab, studio }) => {
  for (let i = 1; i <= 15; i++) copyFileSync(sample("rest.obj"), join(studio.folder, `frame_${i}.obj`));
  await click(tab, "tool-fit");
  await click(tab, "tool-open");
  const names = tab.getByTestId("panel-open").locator('[data-testid^="files-file-"]');
  await expect(names).toHaveCount(15);
  const listed = () => names.evaluateAll((all) => all.map((row) => row.getAttribute("title")));
  expect((await listed())[8]).toBe("frame_9.obj");
  await tab.getByTestId("files-find").fill("_1");
  await expect(names).toHaveCount(7);
  await names.first().focus();
  await tab.keyboard.press("ArrowDown");
  await expect(names.nth(1)).toBeFocused();
});

test("the camera stands in front, at the side and above, and playing has a speed", async ({ tab }) => {
  await openSample(tab);
  const box = () =>
    tab.evaluate(() => {
      const count = window.sinewStudio.positions().length / 3;
      const all = Array.from({ length: count }, (_, v) => window.sinewStudio.vertexOnPage(v));
      const span = (of: number[]) => Math.max(...of) - Math.min(...of);
      return [span(all.map(({ x }) => x)), span(all.map(({ y }) => y))];
    });
  const sizes: Record<string, number[]> = {};
  for (const side of ["front", "side", "top"]) {
    await click(tab, `look-${side}`);
    await shot(tab, `38-${side}`);
    sizes[side] = await box();
  }
  // The creature is longer than wide, and seen along its length from the front.
  expect(sizes.side[0] / sizes.side[1]).toBeGreaterThan(sizes.front[0] / sizes.front[1]);
  await tab.keyboard.press("Alt+1");
  await expect.poll(async () => Math.abs((await box())[0] - sizes.front[0])).toBeLessThan(1);
  await tab.getByTestId("speed").selectOption("0.25");
  await tab.getByTestId("speed").blur();
  await tab.keyboard.press("Space");
  await tab.waitForTimeout(1500);
  const frame = await tab.evaluate(() => window.sinewStudio.frame());
  expect(frame).toBeGreaterThan(0);
  expect(frame).toBeLessThan(20);
  await tab.keyboard.press("Control+s");
  await expect(tab.getByTestId("panel-save")).toBeVisible();
});
