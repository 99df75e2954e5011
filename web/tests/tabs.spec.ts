/**
 * Many tabs that turn bones, undo and redo at once: all of them see the same, it is what the library makes of the turns that are
 * left, and memory stays flat. STUDIO_EDITS is how many actions there are.
 */
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import {
  apart,
  bakedFrames,
  diagonal,
  expect,
  goTo,
  newTab,
  positions,
  sample,
  settled,
  sinew,
  test,
} from "./studio";

const TABS = 10;
const EDITS = Number(process.env.STUDIO_EDITS ?? 1000);
/** Memory is looked at after each. */
const ROUNDS = 4;
/** Turns before all that: they fill the history, so that it does not grow any more and undoing does not reach its end. */
const FIRST = 210;
const STEPS_BACK = 30;
const AXES = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

interface Turn {
  do: "turn";
  bone: number;
  axis: number[];
  degrees: number;
  from: number;
  to: number;
}
type Action = Turn | { do: "undo" } | { do: "redo" };

/** The same numbers every time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => Math.floor(((state = (state * 16807) % 2147483647) / 2147483647) * below);
}

function randomAction(next: (below: number) => number, bones: number, frames: number): Action {
  const kind = next(10);
  if (kind < 5) return randomTurn(next, bones, frames);
  return { do: kind < 8 ? "undo" : "redo" };
}

function randomTurn(next: (below: number) => number, bones: number, frames: number): Turn {
  const from = next(frames);
  return {
    do: "turn",
    bone: next(bones),
    axis: AXES[next(3)],
    degrees: 1 + next(8),
    from,
    to: from + next(frames - from),
  };
}

/** Does actions one after the other in a tab; gives those that were not refused, with the revision that they made. */
function perform(page: Page, version: number, actions: Action[]): Promise<[number, Action][]> {
  return page.evaluate(
    async ([id, list]) => {
      const done: [number, Action][] = [];
      for (const action of list) {
        const fields: Record<string, unknown> = {};
        if (action.do === "turn") {
          const half = (action.degrees * Math.PI) / 360;
          const rotation = [...action.axis.map((x) => x * Math.sin(half)), Math.cos(half)];
          const { bone, from, to } = action;
          Object.assign(fields, {
            version: id,
            bone,
            rotation,
            frame: from,
            from,
            to,
            ease: 0,
            phase: "end",
          });
        }
        const answer = await window.sinewStudio.ask(action.do, fields);
        if (answer) done.push([answer.revision as number, action]);
      }
      return done;
    },
    [version, actions] as const,
  );
}

/** What is left of actions, in the order that the server took them. */
function remaining(first: Turn[], done: [number, Action][]): Turn[] {
  const kept = [...first];
  const undone: Turn[] = [];
  for (const [, action] of [...done].sort((a, b) => a[0] - b[0])) {
    if (action.do === "undo") undone.push(kept.pop()!);
    else if (action.do === "redo") kept.push(undone.pop()!);
    else {
      kept.push(action);
      undone.length = 0;
    }
  }
  return kept;
}

/** The same turns by the command line, which knows nothing of tabs, versions or histories. */
function replay(rig: string, turns: Turn[], out: string): void {
  const files = ["even.sinew", "odd.sinew"].map((name) => join(dirname(out), name));
  copyFileSync(rig, files[0]);
  turns.forEach(({ bone, axis, degrees, from, to }, i) =>
    sinew(
      ...["edit", "rotate", files[i % 2], "-o", files[(i + 1) % 2], "--quiet"],
      ...["--bone", String(bone), "--axis", axis.join(), "--angle", String(degrees)],
      ...["--frame", String(from), "--through", String(to)],
    ),
  );
  copyFileSync(files[turns.length % 2], out);
}

const heap = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { usedSize: number };
  await session.detach();
  return usedSize;
};

async function seenAs(page: Page, rig: string): Promise<void> {
  for (const [frame, expected] of bakedFrames(rig, [0, 20, 47])) {
    await page.evaluate((wanted) => window.sinewStudio.setFrame(wanted), frame);
    expect(apart(await positions(page), expected)).toBeLessThan(1e-5 * (await diagonal(page)));
  }
}

test(`${TABS} tabs, ${EDITS} random edits and undos`, async ({ tab, studio, context }) => {
  test.setTimeout(120_000 + EDITS * 600);
  const rig = join(studio.folder, "rig.sinew");
  sinew("bake", sample("character.glb"), "-o", rig, "--quiet");
  await studio.kill();
  await goTo(tab, await studio.start([rig, sample("anim.pc2")], ["--rest", sample("rest.obj")]));
  await settled(tab);
  const tabs = [tab];
  while (tabs.length < TABS) tabs.push(await newTab(context, studio));
  for (const page of tabs) await page.evaluate(() => window.sinewStudio.holdDrawing(true));

  const { bones, frames } = await tab.evaluate(() => window.sinewStudio.state()!.versions[0]);
  const next = random(7);
  const first = Array.from({ length: FIRST }, () => randomTurn(next, bones, frames));
  let version = await tab.evaluate(() => window.sinewStudio.version()!);
  await perform(tab, version, first.slice(0, 1));
  version = await tab.evaluate(() => window.sinewStudio.version()!);
  await perform(tab, version, first.slice(1));

  const done: [number, Action][] = [];
  const memory: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const each = Math.round(EDITS / ROUNDS / TABS);
    const lists = tabs.map(() => Array.from({ length: each }, () => randomAction(next, bones, frames)));
    const all = await Promise.all(tabs.map((page, i) => perform(page, version, lists[i])));
    done.push(...all.flat());
    memory.push([await heap(tab), studio.memory()]);
  }
  const megabytes = (which: number) => memory.map((m) => (m[which] / 1e6).toFixed(0)).join(", ");
  console.log(`memory after each round, MB: a tab ${megabytes(0)}; the server ${megabytes(1)}`);
  expect(memory.at(-1)![0] - memory[1][0]).toBeLessThan(5e6);
  // A rig that is left behind at every edit would be 40 MB.
  expect(memory.at(-1)![1] - memory[1][1]).toBeLessThan(16e6);

  const kept = remaining(first, done);
  console.log(`${done.length} of ${EDITS} actions were taken, ${kept.length} turns are left`);
  const revision = Math.max(...done.map(([number]) => number));
  for (const page of tabs) {
    await page.waitForFunction((least) => window.sinewStudio.state()!.revision >= least, revision);
    await settled(page);
    expect(apart(await positions(page), await positions(tab))).toBe(0);
  }
  const [before, after] = ["before.sinew", "after.sinew"].map((name) => join(studio.folder, name));
  replay(rig, kept.slice(0, -STEPS_BACK), before);
  replay(before, kept.slice(-STEPS_BACK), after);
  await seenAs(tab, after);
  await perform(tabs[1], version, Array(STEPS_BACK).fill({ do: "undo" }));
  await tab.waitForFunction((least) => window.sinewStudio.state()!.revision >= least, revision + STEPS_BACK);
  await settled(tab);
  await seenAs(tab, before);
});
