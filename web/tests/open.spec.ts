import { readFileSync } from "node:fs";
import {
  apart,
  baked,
  cacheFrame,
  click,
  diagonal,
  expect,
  openSample,
  positions,
  sample,
  settled,
  shot,
  test,
} from "./studio";

test("nothing open says so in a sentence", async ({ tab }) => {
  if ((await tab.evaluate(() => window.sinewStudio.state()!.vertices)) > 0) {
    await click(tab, "close");
    await tab.waitForFunction(() => window.sinewStudio.state()!.vertices === 0);
  }
  await expect(tab.getByTestId("empty")).toContainText("Drop an animation");
  await expect(tab.getByTestId("worst")).toBeDisabled();
  await shot(tab, "01-empty");
});

test("the sample opens", async ({ tab }) => {
  await openSample(tab);
  await expect(tab.getByTestId("opened")).toContainText("Vertices");
  expect((await positions(tab)).length).toBeGreaterThan(3000);
  await shot(tab, "02-sample");
});

test("a cache and its mesh are chosen in the list of files", async ({ tab }) => {
  await tab.getByTestId("files-root").selectOption(sample("anim.pc2").replace("/anim.pc2", ""));
  await click(tab, "files-file-anim.pc2");
  await click(tab, "files-file-rest.obj");
  await expect(tab.getByTestId("open-chosen")).toHaveText("Open 2 files");
  await shot(tab, "03-files");
  await click(tab, "open-chosen");
  await expect(tab.getByTestId("opened-name")).toContainText("anim");
  await expect(tab.getByTestId("open-chosen"), "the next choice begins with nothing").toBeDisabled();
  await settled(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(17));
  const shown = await tab.evaluate(() => window.sinewStudio.original());
  expect(apart(shown, cacheFrame(sample("anim.pc2"), 17))).toBe(0);
});

test("a folder that is listed late does not lead back to it", async ({ tab, studio }) => {
  const samples = sample("anim.pc2").replace("/anim.pc2", "");
  await tab.getByTestId("files-root").selectOption(samples);
  await expect(tab.getByTestId("files-file-anim.pc2")).toBeVisible();
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  const listing = (url: URL) => url.pathname === "/files" && url.searchParams.get("folder") === samples;
  await tab.route(listing, (route) => held.then(() => route.continue()), { times: 1 });
  // Another tool: the list is read again.
  const late = tab.waitForResponse((response) => listing(new URL(response.url())));
  await click(tab, "tool-fit");
  await tab.evaluate(() => window.sinewStudio.set({ tool: "open" }));
  await tab.getByTestId("files-root").selectOption(studio.folder);
  await expect(tab.getByTestId("files-file-anim.pc2")).toHaveCount(0);
  release();
  await (await late).finished();
  await tab.waitForTimeout(200);
  await expect(tab.getByTestId("files-root")).toHaveValue(studio.folder);
  await expect(tab.getByTestId("files-file-anim.pc2")).toHaveCount(0);
});

test("files are dropped on the page", async ({ tab }) => {
  const files = ["anim.pc2", "rest.obj"].map((name) => ({
    name,
    data: readFileSync(sample(name)).toString("base64"),
  }));
  const transfer = await tab.evaluateHandle((list) => {
    const made = new DataTransfer();
    for (const { name, data } of list)
      made.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
    return made;
  }, files);
  await tab.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await expect(tab.getByTestId("opened-name")).toContainText("anim");
  await settled(tab);
  const shown = await tab.evaluate(() => window.sinewStudio.original());
  expect(apart(shown, cacheFrame(sample("anim.pc2"), 0))).toBe(0);
});

test("a rig opens and plays as the command line plays it", async ({ tab }) => {
  await tab.getByTestId("file-input").setInputFiles(sample("rig.glb"));
  await expect(tab.getByTestId("opened-name")).toContainText("rig");
  await settled(tab);
  await expect(tab.getByTestId("number-bones")).toHaveText("12");
  await tab.evaluate(() => window.sinewStudio.setFrame(5));
  expect(apart(baked(sample("rig.glb"), 5), await positions(tab))).toBeLessThan(1e-5 * (await diagonal(tab)));
});

test("a file that is none is refused with a sentence", async ({ tab }) => {
  await tab.getByTestId("file-input").setInputFiles({
    name: "broken.glb",
    mimeType: "model/gltf-binary",
    buffer: Buffer.from("no rig at all"),
  });
  await expect(tab.getByTestId("toast-error")).toContainText(/\w+ \w+/);
  await shot(tab, "04-refused");
  await tab.keyboard.press("Escape");
  await expect(tab.getByTestId("toast-error")).toHaveCount(0);
});
