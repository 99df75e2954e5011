/** The timeline: scrubbing, playing, the worst frame, and the handles of an edit's range. */
import type { Session } from "../session";
import { type Look, clipAt, clipRange, clipsOf, current, editedClips, fpsOf, frameCount } from "../store";
import { fill, h } from "../ui/dom";
import { button, number, select } from "../ui/fields";
import { icon } from "../ui/icons";
import { digits } from "../ui/text";
import { type ChartLook, drawChart, frameAt, gripsOf } from "./chart";
import { type Fade, editFade } from "./fade";

type Grip = "scrub" | "from" | "to" | "easeIn" | "easeOut";

const SPEEDS = [0.25, 0.5, 1, 2];

/** A handle is taken within so many points. */
const NEAR_HANDLE = 9;

export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", {
    "data-testid": "timeline",
    role: "slider",
    tabindex: 0,
    "aria-label": "Timeline: drag to scrub",
    "aria-valuemin": 0,
  });
  private readonly play = button({
    label: "Play",
    icon: "play",
    id: "play",
    iconOnly: true,
    hint: "Play or pause (space)",
    act: () => this.toggle(),
  });
  private readonly frameField = number({
    label: "Frame",
    id: "frame",
    value: 0,
    min: 0,
    step: 1,
    act: (frame) => this.go(Math.round(frame)),
  });
  private readonly total = h("span", { class: "quiet" });
  private readonly error = h("span", { class: "quiet frame-error", "data-testid": "frame-error" });
  private readonly worst = button({
    label: "Worst frame",
    icon: "worst",
    id: "worst",
    hint: "Go to the frame with the largest error (E)",
    act: () => this.goWorst(),
  });
  private readonly clips = h("select", {
    class: "clips",
    "aria-label": "Clip",
    "data-testid": "clip",
    onchange: () => this.goToClip(Number(this.clips.value)),
  });
  private readonly speed = select(
    "Speed of playing",
    "speed",
    SPEEDS.map((speed) => [String(speed), `${speed} ×`]),
    "1",
    () => this.restart(),
  );
  private grip: Grip | null = null;
  /** What the chart was drawn from last. */
  private charted = "";
  private chartedErrors: Look["errors"] = null;
  /** The largest errors of all versions that were looked at, so that their bars have one scale. */
  private tops = { open: -1, mean: 0, largest: 0 };
  private started = 0;
  private startFrame = 0;

  constructor(private readonly session: Session) {
    const step = (label: string, name: string, id: string, act: () => void) =>
      button({ label, icon: name, id, iconOnly: true, act });
    this.element = h(
      "footer",
      { class: "timeline", "aria-label": "Timeline" },
      h(
        "div",
        { class: "transport" },
        step("First frame", "first", "first", () => this.go(0)),
        step("Frame before", "back", "back", () => this.go(this.now.frame - 1)),
        this.play,
        step("Next frame", "next", "next", () => this.go(this.now.frame + 1)),
        step("Last frame", "last", "last", () => this.go(frameCount(this.now) - 1)),
        h("label", { class: "inline" }, h("span", { class: "quiet" }, "Frame"), this.frameField, this.total),
        this.speed,
        this.clips,
        this.error,
        this.worst,
      ),
      this.canvas,
    );
    this.listen();
    const { store } = session;
    store.on(
      (look) => [
        look.frame,
        look.errors,
        look.range,
        look.ease,
        look.tool,
        look.view,
        look.server,
        look.brush,
      ],
      () => this.draw(),
    );
    store.on(
      (look) => [look.playing],
      (look) => this.setPlaying(look.playing),
    );
    store.on(
      (look) => [frameCount(look)],
      (look) => this.fit(look),
    );
    store.on(
      (look) => [look.server?.open, clipsOf(look).length],
      (look) => this.listClips(look),
    );
    store.on(
      (look) => [clipAt(clipsOf(look), look.frame)?.start],
      (look) => this.follow(look),
    );
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  private get now(): Look {
    return this.session.store.now;
  }

  /** Keeps frame and range inside what there is. */
  private fit(look: Look): void {
    const last = Math.max(0, frameCount(look) - 1);
    const [from, to] = look.range;
    if (look.frame > last || to > last || to === 0) {
      const frame = Math.min(look.frame, last);
      const range: [number, number] =
        to === 0 ? clipRange(look, frame) : [Math.min(from, last), Math.min(to, last)];
      this.session.store.set({ frame, range });
    }
  }

  /** Shows a clip; edits reach its frames from then on. */
  private goToClip(start: number): void {
    this.go(start);
    this.session.store.set({ range: clipRange(this.now) });
  }

  /** An edit is meant for the clip that is shown: in another clip, the range is that clip's. */
  private follow(look: Look): void {
    const clip = clipAt(clipsOf(look), look.frame);
    const [from, to] = look.range;
    if (clip && (to < clip.start || from >= clip.start + clip.frames))
      this.session.store.set({ range: clipRange(look) });
  }

  private listClips(look: Look): void {
    const clips = clipsOf(look);
    this.clips.hidden = clips.length === 0;
    fill(
      this.clips,
      clips.map((clip) => h("option", { value: clip.start }, clip.name)),
    );
    // Another file: an edit is meant for the clip that is shown, not for all of them.
    if (clips.length) this.session.store.set({ range: clipRange(look) });
  }

  go(frame: number): void {
    const count = frameCount(this.now);
    if (count > 0) this.session.store.set({ frame: Math.min(count - 1, Math.max(0, frame)), playing: false });
  }

  goWorst(): void {
    const worst = this.worstFrame();
    if (worst !== null) this.session.store.set({ frame: worst, playing: false });
  }

  private worstFrame(): number | null {
    const { errors } = this.now;
    const said = current(this.now)?.worst_frame ?? null;
    if (said !== null || !errors || errors.per_frame.length === 0) return said;
    return errors.largest.indexOf(Math.max(...errors.largest));
  }

  toggle(): void {
    if (frameCount(this.now) > 1) this.session.store.set({ playing: !this.now.playing });
  }

  private setPlaying(on: boolean): void {
    this.play.replaceChildren(icon(on ? "pause" : "play"));
    this.play.setAttribute("aria-label", on ? "Pause" : "Play");
    this.restart();
    if (on) requestAnimationFrame((time) => this.tick(time));
  }

  private restart(): void {
    this.started = performance.now();
    this.startFrame = this.now.frame;
  }

  /** By the clock: frames are left out where drawing is slow, so that the speed stays right. */
  private tick(time: number): void {
    const look = this.now;
    const count = frameCount(look);
    if (!look.playing || count < 2) return;
    const clip = clipAt(clipsOf(look), this.startFrame);
    const [start, length] = clip ? [clip.start, clip.frames] : [0, count];
    const passed = Math.floor(((time - this.started) / 1000) * fpsOf(look) * Number(this.speed.value));
    const frame = start + ((this.startFrame - start + Math.max(0, passed)) % length);
    if (frame !== look.frame) this.session.store.set({ frame });
    requestAnimationFrame((next) => this.tick(next));
  }

  private listen(): void {
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.grip = this.gripAt(event);
      this.drag(event.offsetX);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      this.canvas.style.cursor = (this.grip ?? this.gripAt(event)) === "scrub" ? "pointer" : "ew-resize";
      if (this.grip) this.drag(event.offsetX);
    });
    for (const name of ["pointerup", "pointercancel"])
      this.canvas.addEventListener(name, () => (this.grip = null));
  }

  /** The fades' grips are in the upper half, the range's in the lower, so that they never hide each other. */
  private gripAt(event: PointerEvent): Grip {
    const fade = this.fade();
    if (!fade) return "scrub";
    const grips = gripsOf(fade, frameCount(this.now), this.canvas.clientWidth);
    const names: Grip[] =
      event.offsetY < this.canvas.clientHeight * 0.4 ? ["easeIn", "easeOut"] : ["to", "from"];
    return (
      names.find((name) => Math.abs(grips[name as keyof typeof grips] - event.offsetX) < NEAR_HANDLE) ??
      "scrub"
    );
  }

  private drag(x: number): void {
    const { store } = this.session;
    const frame = frameAt(x, frameCount(this.now), this.canvas.clientWidth);
    const [from, to] = this.now.range;
    if (this.grip === "scrub") store.set({ frame, playing: false });
    if (this.grip === "from") store.set({ range: [Math.min(frame, to), to] });
    if (this.grip === "to") store.set({ range: [from, Math.max(frame, from)] });
    if (this.grip === "easeIn") store.set({ ease: Math.max(0, frame - from) });
    if (this.grip === "easeOut") store.set({ ease: Math.max(0, to - frame) });
  }

  /** What an edit of the chosen tool would do to which frame. */
  fade(): Fade | null {
    const { tool, brush, range, ease, frame } = this.now;
    const edits = tool === "bone" || (tool === "sculpt" && brush.carry === "range");
    return edits ? editFade(range, ease, frame, editedClips(this.now)) : null;
  }

  /** States come with every edit, and most of them change nothing here. */
  private drawChanged(chart: ChartLook): void {
    const { clientWidth, clientHeight } = this.canvas;
    const key = JSON.stringify([{ ...chart, errors: null }, clientWidth, clientHeight, devicePixelRatio]);
    if (key === this.charted && chart.errors === this.chartedErrors) return;
    this.charted = key;
    this.chartedErrors = chart.errors;
    drawChart(this.canvas, chart);
  }

  private scaled(look: Look): ChartLook["tops"] {
    const open = look.server?.open ?? 0;
    if (open !== this.tops.open) this.tops = { open, mean: 1e-12, largest: 1e-12 };
    const top = (errors: number[] | undefined, before: number) => Math.max(before, ...(errors ?? []));
    this.tops.mean = top(look.errors?.per_frame, this.tops.mean);
    this.tops.largest = top(look.errors?.largest, this.tops.largest);
    return { mean: this.tops.mean, largest: this.tops.largest };
  }

  private draw(): void {
    const look = this.now;
    const frames = frameCount(look);
    const { errors } = look;
    const worst = errors ? this.worstFrame() : null;
    const chart: ChartLook = {
      frames,
      frame: look.frame,
      errors,
      tops: this.scaled(look),
      worst,
      clips: clipsOf(look),
      fade: this.fade(),
    };
    this.drawChanged(chart);
    this.canvas.setAttribute("aria-valuemax", String(Math.max(0, frames - 1)));
    this.canvas.setAttribute("aria-valuenow", String(look.frame));
    if (document.activeElement !== this.frameField) this.frameField.value = String(look.frame);
    this.frameField.max = String(Math.max(0, frames - 1));
    this.total.textContent =
      frames > 1 ? `of ${frames - 1} at ${digits(fpsOf(look))} fps` : frames === 1 ? "a single pose" : "";
    const [mean, largest] = [errors?.per_frame[look.frame], errors?.largest[look.frame]];
    this.error.textContent =
      mean === undefined || largest === undefined
        ? ""
        : `Off by ${digits(mean)} % of the size in the mean, ${digits(largest)} % at most`;
    this.error.title = this.error.textContent;
    this.worst.disabled = worst === null;
    const clip = clipAt(clipsOf(look), look.frame);
    if (clip) this.clips.value = String(clip.start);
    for (const control of this.element.querySelectorAll<HTMLButtonElement | HTMLInputElement>(
      ".transport button, .transport input",
    )) {
      if (control !== this.worst) control.disabled = frames < 2;
    }
  }
}
