import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  apart,
  baked,
  changing,
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
  // Both are called by their names.
  const [first, names] = await tab.evaluate(async () => {
    const { map, joints } = window.sinewStudio.state()!.transplant!;
    const bones = await window.sinewStudio.boneNames();
    return [map[0], { bone: bones[map[0].bone], joint: joints[map[0].joint].name }] as const;
  });
  await expect(tab.getByTestId(`mapped-${first.bone}`)).toHaveText(names.bone);
  await expect(tab.getByTestId(`source-${first.joint}`)).toContainText(names.joint);
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

  // Which way, which side, which feet: what is shown of it is shown anew.
  const manner = () =>
    tab.evaluate(() => {
      const { facing, mirror, plant, in_place } = window.sinewStudio.state()!.transplant!;
      return [facing, mirror, plant, in_place];
    });
  expect(await manner()).toEqual(["auto", false, "feet", false]);
  await click(tab, "motion-in-place");
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant!.in_place);
  await tab.getByTestId("motion-plant").selectOption("none");
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant!.plant === "none");
  await enter(tab, "preview-frames", 12);
  await click(tab, "preview");
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant!.preview !== null);
  await settled(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(6));
  const plain = await positions(tab);
  await changing(tab, () => click(tab, "motion-mirror"));
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant!.mirror);
  await settled(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(6));
  expect(apart(await positions(tab), plain)).toBeGreaterThan(0.005 * (await diagonal(tab)));
  await shot(tab, "52-mirrored");
  // Joints and bones of the same names tell which way both face.
  await expect(tab.getByTestId("motion-facing")).toBeDisabled();
  for (let i = 0; i < 3; i++) await changing(tab, () => tab.evaluate(() => window.sinewStudio.ask("undo")));
  expect(await manner()).toEqual(["auto", false, "feet", false]);

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

test("a motion's doubts are told in words, and which way the rig faces is chosen", async ({
  tab,
  studio,
}) => {
  await tab.getByTestId("file-input").setInputFiles(sample("rig.glb"));
  await expect(tab.getByTestId("opened-name")).toContainText("rig");
  await settled(tab);
  await click(tab, "tool-motion");
  const still = join(studio.folder, "still.bvh");
  const lines = readFileSync(sample("walk.bvh"), "utf8").trimEnd().split("\n");
  const motion = lines.findIndex((line) => line.startsWith("Frame Time"));
  writeFileSync(
    still,
    [...lines.slice(0, motion + 1), ...lines.slice(motion + 1).map(() => lines[motion + 1])].join("\n"),
  );
  await tab.getByTestId("motion-input").setInputFiles(still);
  await expect(tab.getByTestId("motion-warnings")).toContainText("nothing moves in");
  const bones = await tab.evaluate(() => window.sinewStudio.boneNames());
  await expect(tab.getByTestId("motion-state")).toContainText(bones[0]);
  const { faced_by } = await tab.evaluate(() => window.sinewStudio.state()!.transplant!.align);
  expect(faced_by).not.toBe("names");
  await tab.getByTestId("motion-facing").selectOption("-x");
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant!.facing === "-x");
  await changing(tab, () => tab.keyboard.press("Control+z"));
  await expect(tab.getByTestId("motion-facing")).toHaveValue("auto");
});
