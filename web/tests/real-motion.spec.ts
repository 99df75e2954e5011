/** Captured motion, moved onto rigs of other people. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { choose, data, openFiles, picture, realTest as test, sameAs } from "./real";
import { click, enter, expect, saveAs, settled, sinew } from "./studio";
import type { Studio } from "./studio";

async function openMotion(tab: Page, ...paths: string[]): Promise<void> {
  await click(tab, "tool-motion");
  await choose(tab, "motion-files", ...paths);
  await click(tab, "motion-open");
  await tab.waitForFunction(() => (window.sinewStudio.state()!.transplant?.map.length ?? 0) > 0);
  await settled(tab);
}

async function preview(tab: Page, frames: number): Promise<void> {
  await enter(tab, "preview-frames", frames);
  await click(tab, "preview");
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant!.preview !== null);
  await settled(tab);
}

async function accept(tab: Page): Promise<void> {
  await click(tab, "accept");
  await tab.waitForFunction(() => window.sinewStudio.state()!.transplant === null, undefined, {
    timeout: 60_000,
  });
  await settled(tab);
}

/** The same by the command line, with the map and the poses that the page shows. */
async function byCommand(tab: Page, studio: Studio, source: string, rig: string): Promise<string[]> {
  const { map, joints, align } = await tab.evaluate(() => window.sinewStudio.state()!.transplant!);
  const names = await tab.evaluate(() => window.sinewStudio.boneNames());
  const lines = map.map(({ joint, bone }) => `"${names[bone]}" = "${joints[joint!].name}"`);
  const file = join(studio.folder, "map.toml");
  writeFileSync(file, `[bones]\n${lines.join("\n")}\n`);
  return [
    ...["transplant", source, "--onto", rig, "--map", file, "--quiet"],
    ...["--align-source", align.motion_frame === null ? "bind" : String(align.motion_frame)],
    ...["--align-rig", align.rig_frame === null ? "rest" : String(align.rig_frame)],
  ];
}

test("captured walking moves a rig of another program", async ({ tab, studio }) => {
  const [source, rig] = ["mocap/02_01.bvh", "rigs/CesiumMan.glb"];
  await openFiles(tab, rig);
  await openMotion(tab, source);
  await expect(tab.getByTestId("motion-state")).toContainText("31 joints");
  const suggested = await tab.evaluate(() => window.sinewStudio.state()!.transplant!);
  const named = (name: string) => suggested.joints.findIndex((joint) => joint.name === name);
  const bones = await tab.evaluate(() => window.sinewStudio.boneNames());
  const followed = (map: typeof suggested.map, bone: string) =>
    map.find((m) => m.bone === bones.indexOf(bone))?.joint;
  expect(followed(suggested.map, "leg_joint_L_2")).toBe(named("LeftLeg"));
  expect(followed(suggested.map, "Skeleton_arm_joint_R__2_")).toBe(named("RightForeArm"));
  await picture(tab, "20-mapping");

  // A joint of the figure, then a bone on the surface.
  const joint = named("Head");
  const place = await tab.evaluate((index) => window.sinewStudio.jointOnPage(index), joint);
  await tab.mouse.click(place.x, place.y);
  await expect(tab.getByTestId("tip")).toContainText("Now click the bone");
  expect(await tab.evaluate(() => window.sinewStudio.look().joint)).toBe(joint);
  const { x, y } = await tab.evaluate(() => window.sinewStudio.seenVertex("top"));
  await tab.mouse.click(x, y);
  await tab.waitForFunction(
    (j) => window.sinewStudio.state()!.transplant!.map.some((m) => m.joint === j),
    joint,
  );
  const bone = await tab.evaluate(() => window.sinewStudio.look().bone!);
  expect(bones[bone]).toContain("neck");
  await picture(tab, "21-mapping-corrected");

  await click(tab, "align-auto");
  await tab.waitForFunction(() => window.sinewStudio.state()!.undo === "align");
  await settled(tab);
  await preview(tab, 120);
  await picture(tab, "22-preview");
  const command = await byCommand(tab, studio, data(source), data(rig));
  await accept(tab);
  const frames = [0, 60, 171, 342];
  const saved = await saveAs(tab, studio, "walks", "glb");
  await sameAs(tab, saved, frames, 1e-5);
  const other = join(studio.folder, "command.glb");
  sinew(...command, "-o", other);
  await sameAs(tab, other, frames, 1e-5);
  await tab.evaluate(() => window.sinewStudio.setFrame(171));
  await picture(tab, "23-walking");
});

test("a motion in two files moves a rig and is saved", async ({ tab, studio }) => {
  await openFiles(tab, "rigs/RiggedFigure.glb");
  await openMotion(tab, "mocap/07-walk.asf", "mocap/07_01-walk.amc");
  await preview(tab, 60);
  await accept(tab);
  await tab.evaluate(() => window.sinewStudio.setFrame(100));
  await picture(tab, "24-two-files");
  await sameAs(tab, await saveAs(tab, studio, "figure", "glb"), [0, 100, 315], 1e-5);
});
