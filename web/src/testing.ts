/** What tests read: positions by the formula of the GPU, where the page is, how fast answers came. */
import { Vector3 } from "three";
import type { App } from "./app";
import { loadSkeleton } from "./net/data";
import type { Action } from "./net/types";
import type { BrushTool } from "./tools/brush";
import type { JointTool } from "./tools/joint";
import { current } from "./store";
import { share } from "./timeline/fade";
import type { Overlays } from "./viewer/overlays";
import { pick } from "./viewer/pick";

declare global {
  interface Window {
    sinewStudio: ReturnType<typeof surface>;
  }
}

function surface(app: App, overlays: Overlays, brush: BrushTool, joint: JointTool) {
  const { store } = app.session;
  return {
    /** Positions of the current version in the frame that is shown. */
    positions: () => Array.from(app.stage.positions() ?? []),
    /** The same, when they are here. */
    shown: () => shown(app),
    /** Positions of the original in the frame that is shown. */
    original: async () => Array.from((await app.stage.original?.get(store.now.frame)) ?? []),
    frame: () => store.now.frame,
    setFrame: (frame: number) => app.timeline.go(frame),
    version: () => current(store.now)?.id ?? null,
    state: () => store.now.server,
    look: () => ({ ...store.now, server: undefined }),
    set: (change: Parameters<typeof store.set>[0]) => store.set(change),
    connected: () => store.now.connected,
    /** Whether all that is asked for is here. */
    settled: () => store.now.loading === null && store.now.jobs.length === 0 && app.stage.opening === 0,
    /** Which version's data are shown, with their key. */
    shownVersion: () => app.stage.shownVersion(),
    /** What the bones of the current version are called. */
    boneNames: () => boneNames(app),
    drawn: () => app.viewer.drawn,
    latency: () => ({
      turn: [...app.bone.live.samples],
      brush: [...brush.live.samples],
      pose: [...joint.live.samples],
    }),
    /** Where a vertex of the current version is on the page. */
    vertexOnPage: (vertex: number) => vertexOnPage(app, vertex),
    jointOnPage: (index: number) =>
      app.viewer.onPage((store.now.tool === "motion" ? app.viewer.motion : app.viewer.skeleton).place(index)),
    ask: (name: string, fields: Record<string, unknown> = {}) =>
      app.session.ask({ do: name, ...fields } as Action),
    /** The largest distance between a vertex as the GPU draws it and as it is computed here, of those in triangles. */
    drawnApart: () => drawnApart(app),
    holdDrawing: (held: boolean) => (app.viewer.held = held),
    redraw: () => app.viewer.invalidate(),
    /** Of every frame of the current rig, every bone's matrix: 3x4 by rows. */
    palettes: () => palettes(app),
    /** How much of an edit the timeline says that a frame gets. */
    share: (frame: number) => {
      const fade = app.timeline.fade();
      return fade ? share(fade, frame) : 0;
    },
    /** Whose handle each vertex is, as it is drawn. */
    marks: () => Array.from(overlays.marks() ?? []),
    /** A vertex that the camera sees, in the middle of a part of the mesh. */
    seenVertex: (wanted: string) => seenVertex(app, wanted),
    /** The ring that faces the camera: its middle and radius on the page. */
    ring: () => app.bone.ringOnPage(),
    breakOff: () => app.session.breakOff(),
    turnBy: (axis: "x" | "y" | "z", degrees: number) => app.bone.turnBy(axis, degrees),
  };
}

async function boneNames(app: App): Promise<string[]> {
  const { joints } = await loadSkeleton(current(app.session.store.now)!);
  return joints.map((joint) => joint.name);
}

async function shown(app: App): Promise<number[]> {
  await app.stage.here();
  return Array.from(app.stage.positions() ?? []);
}

function vertexOnPage(app: App, vertex: number): { x: number; y: number } {
  const p = app.stage.positions()!;
  return app.viewer.onPage(new Vector3(p[vertex * 3], p[vertex * 3 + 1], p[vertex * 3 + 2]));
}

function palettes(app: App): number[][][] {
  const { rig } = app.stage;
  const bones = (frame: number) => {
    const { transforms } = rig!.palette(frame);
    return Array.from({ length: transforms.length / 12 }, (_, b) => [
      ...transforms.slice(b * 12, b * 12 + 12),
    ]);
  };
  return Array.from({ length: rig?.arrays.frames ?? 0 }, (_, frame) => bones(frame));
}

function drawnApart(app: App): number {
  const [drawn, computed] = [app.viewer.probe(), app.stage.positions()!];
  let most = 0;
  for (const vertex of app.stage.mesh!.corners) {
    const off = [0, 1, 2].map((axis) => drawn[vertex * 3 + axis] - computed[vertex * 3 + axis]);
    most = Math.max(most, Math.hypot(off[0], off[1], off[2]));
  }
  return most;
}

/** Points around a vertex that is pointed at, where there is surface too. */
const AROUND = 4;
/** Places along the mesh's height, from its floor to its top. */
const HEIGHTS: Record<string, number> = { leg: 0.2, body: 0.5, neck: 0.75, top: 0.95 };

function seenVertex(app: App, wanted: string): { x: number; y: number; vertex: number } {
  const positions = app.stage.positions()!;
  const corners = app.stage.mesh!.corners;
  const axis = app.session.store.now.server!.up === "y" ? 1 : 2;
  let low = Infinity;
  let high = -Infinity;
  for (let i = axis; i < positions.length; i += 3) {
    low = Math.min(low, positions[i]);
    high = Math.max(high, positions[i]);
  }
  const height = low + (high - low) * (HEIGHTS[wanted] ?? 0.5);
  const near = Array.from({ length: positions.length / 3 }, (_, vertex) => vertex).sort(
    (a, b) => Math.abs(positions[a * 3 + axis] - height) - Math.abs(positions[b * 3 + axis] - height),
  );
  const hit = (x: number, y: number) =>
    pick(app.viewer.ray({ clientX: x, clientY: y }), positions, corners)?.vertex;
  for (const vertex of near.slice(0, 400)) {
    const { x, y } = vertexOnPage(app, vertex);
    if (hit(x, y) !== vertex || document.elementFromPoint(x, y) !== app.viewer.canvas) continue;
    // Not at the outline, where a pointer that is a part of a point off misses it.
    const around = [-AROUND, AROUND].flatMap((d) => [hit(x + d, y), hit(x, y + d)]);
    if (!around.includes(undefined)) return { x, y, vertex };
  }
  throw new Error("no vertex is seen there");
}

export function expose(app: App, overlays: Overlays, brush: BrushTool, joint: JointTool): void {
  window.sinewStudio = surface(app, overlays, brush, joint);
}
