/** A skeleton found in the motion of a man whose joints are known; then he is posed by it, and saved. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { data, openCache, readGlb, picture, realTest as test, sameAs } from "./real";
import {
  apart,
  cacheFrame,
  changing,
  click,
  diagonal,
  drag,
  expect,
  placeOnSurface,
  positions,
  saveAs,
  settled,
  sinew,
} from "./studio";

type Point = [number, number, number];

/** Places of a rig's joints in its bind pose: where their inverse bind matrices come from. */
function boundJoints(file: string): Point[] {
  const { json, binary } = readGlb(file);
  const skin = json.skins[0];
  const view = json.bufferViews[json.accessors[skin.inverseBindMatrices].bufferView];
  return skin.joints.map((_: number, joint: number) => {
    const m = Array.from({ length: 16 }, (_, i) =>
      binary.readFloatLE((view.byteOffset ?? 0) + joint * 64 + 4 * i),
    );
    return origin(m);
  });
}

/** The point that a matrix, column after column, takes to the origin. */
function origin(m: number[]): Point {
  const [a, b, c] = [m.slice(0, 3), m.slice(4, 7), m.slice(8, 11)];
  const t = m.slice(12, 15).map((x) => -x);
  const cross = (u: number[], v: number[]) =>
    [0, 1, 2].map((i) => u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
  const dot = (u: number[], v: number[]) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const whole = dot(a, cross(b, c));
  return [dot(t, cross(b, c)) / whole, dot(a, cross(t, c)) / whole, dot(a, cross(b, t)) / whole];
}

const nearest = (points: Point[], to: Point): number =>
  Math.min(...points.map((p) => Math.hypot(p[0] - to[0], p[1] - to[1], p[2] - to[2])));

async function extract(tab: Page): Promise<void> {
  await click(tab, "tool-skeleton");
  await click(tab, "skeleton-start");
  await tab.waitForFunction(
    () => window.sinewStudio.state()!.versions.some((version) => version.skeleton),
    undefined,
    { timeout: 100_000 },
  );
  await settled(tab);
}

test("a man's skeleton is found, and he is posed and saved", async ({ tab, studio }) => {
  await openCache(tab, "baked/cesium-man");
  await extract(tab);
  await picture(tab, "30-skeleton");
  const size = await diagonal(tab);
  const bones = Number(await tab.getByTestId("number-bones").textContent());
  const glb = await saveAs(tab, studio, "man", "glb");
  await sameAs(tab, glb, [0, 20, 60], 1e-5);
  const joints = boundJoints(glb);
  expect(joints).toHaveLength(bones);
  // The rest pose is the first frame, so the true joints are known in it: those that move something are found.
  const truth = JSON.parse(readFileSync(data("baked/cesium-man/truth.json"), "utf8")) as {
    joints: { name: string; swing_degrees: number; positions: Point[] }[];
  };
  const moving = truth.joints.filter((joint) => joint.swing_degrees > 15);
  const off = moving.map((joint) => nearest(joints, joint.positions[0]) / size);
  console.log(
    `${bones} joints; true joints are ${off.map((x) => (100 * x).toFixed(1)).join(", ")} % of the size from one`,
  );
  expect(off.reduce((a, b) => a + b, 0) / off.length).toBeLessThan(0.03);

  await click(tab, "tool-skeleton");
  await changing(tab, () => click(tab, "handles"));
  await tab.waitForFunction(() => window.sinewStudio.state()!.deform !== null);
  await settled(tab);
  // The joint nearest to the true left knee.
  const names = await tab.evaluate(() => window.sinewStudio.state()!.deform!.joints);
  const knee = truth.joints.find((joint) => joint.name === "leg_joint_L_2")!.positions[0];
  const away = names.map(({ place }) => nearest([place], knee));
  const joint = away.indexOf(Math.min(...away));
  await click(tab, `joint-${joint}`);

  await click(tab, "paint-add");
  await drag(tab, await placeOnSurface(tab, "leg"), [12, 4]);
  await picture(tab, "31-painting");
  await changing(tab, () => tab.mouse.up());
  await expect.poll(() => tab.evaluate(() => window.sinewStudio.state()!.undo)).toContain("paint");
  await click(tab, "paint-off");

  const rest = await positions(tab);
  await changing(tab, () => tab.getByTestId("pose-x").fill("50"));
  await expect.poll(async () => apart(await positions(tab), rest)).toBeGreaterThan(0.03 * size);
  await picture(tab, "32-posed");
  await tab.getByTestId("example-name").fill("bent");
  await changing(tab, () => click(tab, "example-add"));
  await expect(tab.getByTestId("examples")).toContainText("bent");
  const memory = await tab.evaluate(() => window.sinewStudio.state()!.deform!.bytes!);
  await tab.getByTestId("anchors").fill("30");
  await tab.waitForFunction((old) => window.sinewStudio.state()!.deform!.bytes! < old, memory, {
    timeout: 60_000,
  });
  await settled(tab);
  await picture(tab, "33-example-and-anchors");

  const shown = await positions(tab);
  const cache = await saveAs(tab, studio, "posed", "pc2");
  expect(apart(cacheFrame(cache, 0), shown)).toBeLessThan(1e-6 * size);
  // The character, posed so by the command line.
  const character = await saveAs(tab, studio, "man", "deform");
  const { pose, joints: posed } = await tab.evaluate(() => window.sinewStudio.state()!.deform!);
  const turns = pose.map((turn, i) => `"${posed[i].name}" = [${turn.join()}]`);
  const [toml, again] = ["pose.toml", "again.pc2"].map((name) => join(studio.folder, name));
  writeFileSync(toml, `[turns]\n${turns.join("\n")}\n`);
  sinew("deform", "pose", character, "--pose", toml, "-o", again, "--quiet");
  const between = apart(cacheFrame(again, 0), shown) / size;
  console.log(`posed by the command line: ${(100 * between).toFixed(4)} % of the size from what is seen`);
  expect(between).toBeLessThan(1e-5);
});
