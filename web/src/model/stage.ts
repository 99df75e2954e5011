/**
 * What is on the stage: fetches the mesh, the current version and the frames that are shown, hands them to the viewer,
 * and knows the positions of everything for picking, brushes and tests.
 */
import {
  Changed,
  loadBones,
  loadErrors,
  loadMesh,
  loadOriginal,
  loadPositions,
  type MeshData,
} from "../net/data";
import type { Packet } from "../net/packet";
import { PALETTE, POSITIONS, type Version } from "../net/types";
import type { Session } from "../session";
import { comparable, current, isOpen } from "../store";
import { toast } from "../ui/toast";
import { type Textures, loadTextures } from "../viewer/appearance";
import type { Side, Viewer } from "../viewer/viewer";
import { Frames } from "./frames";
import type { Palette, Rig } from "./rig";
import { Rigs } from "./rigs";

/** Milliseconds without a change after which errors are asked for. */
const PAUSE = 120;
/** How often a version is asked for. */
const ATTEMPTS = 5;

export class Stage {
  mesh: MeshData | null = null;
  rig: Rig | null = null;
  original: Frames | null = null;
  /** Positions of the current version where it is no rig. */
  private streamed: Frames | null = null;
  private readonly rigs = new Rigs();
  private textures: Textures = new Map();
  /** A palette or positions that came while a hand moves: shown instead of the version's own. */
  private live: {
    version: number;
    frame: number;
    palette: Palette | null;
    positions: Float32Array | null;
  } | null = null;
  private shownKey = "";
  private seen: { hidden: ReadonlySet<number>; rig: Rig; corners: Uint32Array } | null = null;
  /** Meshes that were opened and are still on their way. */
  opening = 0;
  private busy = false;
  private again = false;
  private readonly watchers: (() => void)[] = [];

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
  ) {
    const store = session.store;
    store.on(
      (look) => [isOpen(look), look.server?.open],
      () => {
        this.opening++;
        void this.guard(() => this.open()).finally(() => this.opening--);
      },
    );
    store.on(
      (look) => [this.versionKey(), look.view === "original"],
      () => void this.guard(() => this.takeVersion()),
    );
    store.on(
      (look) => [look.frame, look.view, look.corrections],
      () => this.show(),
    );
    session.onPacket((packet) => this.take(packet));
  }

  /** Calls `act` whenever other positions are shown. */
  onShow(act: () => void): void {
    this.watchers.push(act);
  }

  /** Says what went wrong instead of losing it. */
  private async guard(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Changed)) toast(error instanceof Error ? error.message : String(error), "error");
    }
    this.session.store.set({ loading: null });
  }

  private versionKey(): string {
    const look = this.session.store.now;
    const version = current(look);
    return look.server && version ? `${look.server.open}:${version.key}` : "";
  }

  private async open(): Promise<void> {
    const { store } = this.session;
    const state = store.now.server;
    this.mesh = null;
    this.original = null;
    this.forgetVersion();
    this.rigs.clear();
    if (!state || !isOpen(store.now)) {
      this.viewer.setView(false, "none");
      return;
    }
    store.set({
      frame: 0,
      bone: null,
      joint: null,
      playing: false,
      scale: null,
      range: [0, Math.max(0, state.frames - 1)],
      loading: "Loading the mesh",
    });
    const key = state.open;
    const mesh = await loadMesh(key);
    if (store.now.server === null || store.now.server.open !== key) return;
    this.mesh = mesh;
    for (const surface of [this.viewer.result, this.viewer.original]) surface.setMesh(mesh);
    store.set({ coloured: mesh.appearance !== null });
    void this.takeTextures(mesh, key);
    if (state.has_original)
      this.original = new Frames(mesh.vertices, state.frames, (a, b) => loadOriginal(key, a, b));
    this.viewer.setExtent(mesh.rest, state.diagonal, state.up);
    this.viewer.frame(mesh.rest);
    await this.takeVersion();
    // The rest pose may lie elsewhere than the motion, and on another side.
    await this.original?.get(0);
    if (store.now.server?.open !== key) return;
    this.viewer.setExtent(this.positions() ?? mesh.rest, state.diagonal, state.up);
    this.frame();
  }

  /** Images come when they come; the mesh is there without them. */
  private async takeTextures(mesh: MeshData, open: number): Promise<void> {
    this.textures.forEach((old) => old.dispose());
    this.textures = new Map();
    const textures: Textures = mesh.appearance ? await loadTextures(open, mesh.appearance) : new Map();
    if (this.mesh !== mesh) return textures.forEach((late) => late.dispose());
    this.textures = textures;
    for (const surface of [this.viewer.result, this.viewer.original]) surface.setTextures(textures);
    this.session.store.set({ textured: textures.size });
    this.viewer.invalidate();
  }

  private forgetVersion(): void {
    this.rig = null;
    this.streamed = null;
    this.live = null;
    this.shownKey = "";
  }

  /** One load at a time: what changes meanwhile is taken once, at the end. */
  private async takeVersion(): Promise<void> {
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.again) {
        this.again = false;
        await this.takeCurrent();
      }
    } finally {
      this.busy = false;
    }
  }

  private async takeCurrent(): Promise<void> {
    const { store } = this.session;
    const version = current(store.now);
    const wanted = this.versionKey();
    if (!this.mesh || !version) {
      this.forgetVersion();
      store.set({ errors: null });
      this.show();
      return;
    }
    if (wanted === this.shownKey) return this.show();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.loadVersion(version, wanted, this.mesh);
      } catch (error) {
        // It may have changed on its way. Then it is changed here too in a moment, and asked for again by that, or it was
        // changed back, and nobody hears of it.
        await new Promise((done) => setTimeout(done, PAUSE));
        if (wanted !== this.versionKey()) return;
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async loadVersion(version: Version, wanted: string, mesh: MeshData): Promise<void> {
    const { store } = this.session;
    const fetch = (from: number, to: number) => loadPositions(version, from, to);
    const waiting = () => store.set({ loading: "Loading the rig" });
    const rig = version.rig ? await this.rigs.get(version, waiting) : null;
    if (rig) store.set({ loading: null });
    const streamed = rig ? null : new Frames(mesh.vertices, version.frames, fetch);
    await streamed?.get(Math.min(store.now.frame, version.frames - 1));
    if (wanted !== this.versionKey() || this.mesh !== mesh) return;
    this.shownKey = wanted;
    this.live = null;
    this.rig = rig;
    this.streamed = streamed;
    if (rig) this.viewer.result.setRig(rig);
    const { bone } = store.now;
    if (bone !== null && bone >= version.bones) store.set({ bone: null });
    this.show();
    void this.takeBones(version, wanted);
    void this.takeErrors(version, wanted);
  }

  private async takeBones(version: Version, wanted: string): Promise<void> {
    const { bones } = await loadBones(version).catch(() => ({ bones: [] }));
    const { store } = this.session;
    if (wanted !== this.versionKey()) return;
    const { tree } = store.now;
    // Bones of another rig are others, though they may have the same numbers.
    if (bones.length !== tree.length) store.set({ hidden: new Set(), locked: new Set() });
    if (JSON.stringify(bones) !== JSON.stringify(tree)) store.set({ tree: bones });
  }

  /** Errors take the server a while: they are asked for when edits pause. */
  private async takeErrors(version: Version, wanted: string): Promise<void> {
    const { store } = this.session;
    await new Promise((done) => setTimeout(done, PAUSE));
    if (wanted !== this.versionKey()) return;
    const errors = comparable(store.now) ? await loadErrors(version).catch(() => null) : null;
    if (wanted === this.versionKey()) store.set({ errors });
  }

  /** Shows the frame: at once where it is here, when it comes otherwise. */
  private show(): void {
    const look = this.session.store.now;
    const { frame, view } = look;
    const { result, original } = this.viewer;
    if (!this.mesh) return;
    result.corrected = look.corrections;
    const hasResult = this.rig !== null || this.streamed !== null;
    const hasOriginal = look.server?.has_original === true;
    const single = hasOriginal && (view === "original" || !hasResult) ? "original" : "result";
    const split = view === "both" && hasResult && hasOriginal;
    this.viewer.setView(split, single);
    if (split || single === "original" || view === "difference")
      this.stream(this.original, frame, (positions) => {
        original.setPositions(positions);
        result.setCompared(positions);
      });
    if (split || single === "result") this.showResult(frame);
    this.shown();
  }

  private showResult(frame: number): void {
    const { result } = this.viewer;
    if (this.live && this.live.frame === frame) {
      if (this.live.positions) result.setPositions(this.live.positions);
      else if (this.rig && this.live.palette) {
        result.setRig(this.rig);
        result.setPalette(this.live.palette);
      }
    } else if (this.rig) {
      const palette = this.palette();
      result.setRig(this.rig);
      if (palette) result.setPalette(palette);
    } else this.stream(this.streamed, frame, (positions) => result.setPositions(positions));
  }

  /** Hands over a frame now or, if it is still wanted then, later. */
  private stream(frames: Frames | null, frame: number, act: (positions: Float32Array) => void): void {
    if (!frames || frame >= frames.count) return;
    const now = frames.now(frame);
    if (now) return act(now);
    frames.get(frame).then(
      (positions) => {
        if (this.session.store.now.frame !== frame) return;
        act(positions);
        this.shown();
      },
      (error: unknown) => {
        if (!(error instanceof Changed))
          toast(error instanceof Error ? error.message : String(error), "error");
      },
    );
  }

  private shown(): void {
    this.viewer.invalidate();
    for (const act of this.watchers) act();
  }

  /** What came while a hand moves. */
  private take(packet: Packet): void {
    const look = this.session.store.now;
    if (packet.version !== look.server?.current && packet.version !== look.server?.deform?.version) return;
    const transforms = packet.count * 12;
    const palette =
      packet.kind === PALETTE
        ? {
            transforms: packet.values.subarray(0, transforms),
            coefficients: packet.values.subarray(transforms),
          }
        : null;
    if (packet.kind === POSITIONS && packet.count !== this.mesh?.vertices) return;
    this.live = {
      version: packet.version,
      frame: packet.frame,
      palette,
      positions: packet.kind === POSITIONS ? packet.values : null,
    };
    if (packet.frame === look.frame) this.show();
  }

  /** Forgets what a hand did: the version's own data are shown again. */
  dropLive(): void {
    this.live = null;
    this.show();
  }

  /** Frames what is shown, from a side. */
  frame(side: Side = "corner"): void {
    const positions =
      this.session.store.now.view === "original" ? this.original?.now(this.session.store.now.frame) : null;
    const points = positions ?? this.positions();
    if (points) this.viewer.frame(points, side);
  }

  /** Waits for the frame that is shown. */
  async here(): Promise<void> {
    await this.streamed?.get(this.session.store.now.frame);
  }

  /** Which version's data are shown, with their stamp. */
  shownVersion(): string {
    return this.shownKey;
  }

  /** Corners of the triangles that can be pointed at: bones that are hidden take their surface with them. */
  corners(): Uint32Array {
    const all = this.mesh?.corners ?? new Uint32Array();
    const { hidden } = this.session.store.now;
    const { rig } = this;
    if (hidden.size === 0 || !rig) return all;
    if (this.seen?.hidden !== hidden || this.seen.rig !== rig) {
      const shown = (vertex: number) => !hidden.has(rig.strongest(vertex));
      const corners = all.filter((_, i) => {
        const first = i - (i % 3);
        return shown(all[first]) && shown(all[first + 1]) && shown(all[first + 2]);
      });
      this.seen = { hidden, rig, corners };
    }
    return this.seen.corners;
  }

  /** What moves the rig in the frame that is shown. */
  palette(): Palette | null {
    const { frame } = this.session.store.now;
    if (!this.rig) return null;
    if (this.live?.frame === frame && this.live.palette) return this.live.palette;
    return this.rig.palette(Math.min(frame, this.rig.arrays.frames - 1));
  }

  /** Positions of the current version in the frame that is shown, by the formula that the GPU uses. */
  positions(): Float32Array | null {
    const { frame, corrections } = this.session.store.now;
    if (!this.mesh) return null;
    if (this.live?.frame === frame && this.live.positions) return this.live.positions;
    const palette = this.palette();
    if (this.rig && palette)
      return this.rig.skin(palette, corrections, new Float32Array(this.mesh.vertices * 3));
    return this.streamed?.now(frame) ?? this.original?.now(frame) ?? this.mesh.rest;
  }
}
