import {
  apart,
  baked,
  click,
  diagonal,
  enter,
  expect,
  positions,
  sample,
  saveAs,
  settled,
  shot,
  test,
} from "./studio";

test("a motion is opened, mapped, aligned, previewed, accepted and saved", async ({ tab, studio }) => {
  await tab.getByTestId("file-input").setInputFiles(sample("character.glb"));
  await expect(tab.getByTestId("opened-name")).toContainText("character");
  await settled(tab);
  await click(tab, "tool-motion");
  await tab.getByTestId("motion-input").setInputFiles(sample("walk.bvh"));
  await expect(tab.getByTestId("motion-state")).toContainText("joints");
  await tab.waitForFunction(() => (window.sinewStudio.state()!.transplant?.map.length ?? 0) > 0);
  await shot(tab, "50-mapping");
  // No name is cut, however long.
  const cut = await tab.evaluate(() => {
    const names = [...document.querySelectorAll<HTMLElement>(".map-row .row .grow")];
    names[0].textContent = "mixamorig:LeftHandIndexFingerSecondJoint";
    return names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent);
  });
  expect(cut).toEqual([]);

  // A joint, then a bone on the surface.
  const joints = await tab.evaluate(() => window.sinewStudio.state()!.transplant!.joints.length);
  const joint = joints - 1;
  const place = await tab.evaluate((index) => window.sinewStudio.jointOnPage(index), joint);
  await tab.mouse.click(place.x, place.y);
  await expect(tab.getByTestId("tip")).toContainText("Now click the bone");
  const chosen = await tab.evaluate(() => window.sinewStudio.look().joint);
  const { x, y } = await tab.evaluate(() => window.sinewStudio.seenVertex("body"));
  await tab.mouse.click(x, y);
  await tab.waitForFunction((j) => {
    const bone = window.sinewStudio.look().bone;
    return window.sinewStudio.state()!.transplant!.map.some((m) => m.joint === j && m.bone === bone);
  }, chosen);
  await tab.keyboard.press("Control+z");

  await click(tab, "align-auto");
  await enter(tab, "preview-frames", 24);
  await click(tab, "preview");
  await tab.waitForFunction(() =>
    window.sinewStudio.state()!.versions.some((version) => version.kind === "transplant"),
  );
  await settled(tab);
  await shot(tab, "51-preview");
  await click(tab, "accept");
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant === null);
  await settled(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(12));
  const shown = await positions(tab);
  const size = await diagonal(tab);
  const file = await saveAs(tab, studio, "walks", "glb");
  expect(apart(baked(file, 12), shown)).toBeLessThan(1e-3 * size);
});
