/**
 * The drawing in the timeline: error per frame, clips, the range of an edit and how it fades, where we are.
 */
import type { Clip } from "../net/types";
import { type Fade, share } from "./fade";

export interface ChartLook {
  frames: number;
  frame: number;
  /** Mean and largest error of each frame, and the tops of their scales. */
  errors: { per_frame: number[]; largest: number[] } | null;
  tops: { mean: number; largest: number };
  worst: number | null;
  clips: Clip[];
  /** Range and fade of an edit; null where no edit is made. */
  fade: Fade | null;
}

const COLOURS = {
  bar: "#4f7ea8",
  barOver: "#8fb8dc",
  largest: "#c97b63",
  text: "#9aa0a8",
  line: "#3a3d43",
  head: "#f0a35e",
  range: "#f0a35e",
  worst: "#e8d24a",
};

/** Left edge of a frame's cell, in points. */
export function placeOf(frame: number, frames: number, width: number): number {
  return (frame / Math.max(1, frames)) * width;
}

export function frameAt(x: number, frames: number, width: number): number {
  return Math.min(frames - 1, Math.max(0, Math.floor((x / Math.max(1, width)) * frames)));
}

export function drawChart(canvas: HTMLCanvasElement, look: ChartLook): void {
  const scale = devicePixelRatio;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  // Setting a size, even the same, makes the picture's memory anew.
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  // Few lines, drawn often: the processor is done with them before a graphics card is told of them.
  const g = canvas.getContext("2d", { willReadFrequently: true })!;
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  if (look.frames === 0) return;
  const unit = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const axis = height - 1.4 * unit;
  drawErrors(g, look, width, axis, unit);
  if (look.fade) drawRange(g, look, width, axis, unit);
  drawRuler(g, look, width, axis, height, unit);
  drawHead(g, look, width, height, unit);
}

function drawErrors(
  g: CanvasRenderingContext2D,
  look: ChartLook,
  width: number,
  axis: number,
  unit: number,
): void {
  const { errors, tops } = look;
  if (!errors || errors.per_frame.length === 0) return;
  const room = axis - 1.3 * unit;
  const cell = width / look.frames;
  const wide = Math.max(1, cell - (cell > 4 ? 1 : 0));
  errors.per_frame.forEach((error, frame) => {
    const tall = Math.max(1, (error / tops.mean) * room);
    g.fillStyle = frame === look.frame ? COLOURS.barOver : COLOURS.bar;
    g.fillRect(frame * cell, axis - tall, wide, tall);
  });
  // The largest, which the worst frame is about, has a scale of its own: it is many times the mean.
  const height = (frame: number) => axis - ((errors.largest[frame] ?? 0) / tops.largest) * room;
  g.fillStyle = COLOURS.largest;
  errors.largest.forEach((_, frame) => g.fillRect(frame * cell, height(frame) - 1, wide, 2));
  if (look.worst === null) return;
  g.fillStyle = COLOURS.worst;
  triangle(g, (look.worst + 0.5) * cell, height(look.worst) - 3, 0.4 * unit);
}

/** Where the grips are, in points: the range's ends, and the first and last frame that get all. */
export function gripsOf(
  { from, to, easeIn, easeOut }: Fade,
  frames: number,
  width: number,
): { from: number; to: number; easeIn: number; easeOut: number } {
  return {
    from: placeOf(from, frames, width),
    to: placeOf(to + 1, frames, width),
    easeIn: placeOf(from + easeIn + 0.5, frames, width),
    easeOut: placeOf(to - easeOut + 0.5, frames, width),
  };
}

function drawRange(
  g: CanvasRenderingContext2D,
  look: ChartLook,
  width: number,
  axis: number,
  unit: number,
): void {
  const fade = look.fade!;
  const { from, to, easeIn, easeOut } = gripsOf(fade, look.frames, width);
  const top = 0.5 * unit;
  const height = (frame: number) => axis - share(fade, frame) * (axis - top);
  g.beginPath();
  g.moveTo(from, axis);
  g.lineTo(from, height(fade.from));
  for (let frame = fade.from; frame <= fade.to; frame++)
    g.lineTo(placeOf(frame + 0.5, look.frames, width), height(frame));
  g.lineTo(to, height(fade.to));
  g.lineTo(to, axis);
  g.closePath();
  g.fillStyle = g.strokeStyle = COLOURS.range;
  g.globalAlpha = 0.14;
  g.fill();
  g.globalAlpha = 0.8;
  g.stroke();
  if (fade.twin !== null) {
    g.globalAlpha = 0.4;
    g.fillRect(placeOf(fade.twin, look.frames, width), top, width / look.frames, axis - top);
  }
  g.globalAlpha = 1;
  for (const x of [from, to])
    g.fillRect(Math.min(width - 3, Math.max(0, x - 1.5)), axis - 1.4 * unit, 3, 1.4 * unit);
  for (const x of [easeIn, easeOut]) {
    g.beginPath();
    g.arc(x, top, 0.3 * unit, 0, 2 * Math.PI);
    g.fill();
  }
}

function drawRuler(
  g: CanvasRenderingContext2D,
  look: ChartLook,
  width: number,
  axis: number,
  height: number,
  unit: number,
): void {
  g.strokeStyle = COLOURS.line;
  g.beginPath();
  g.moveTo(0, axis + 0.5);
  g.lineTo(width, axis + 0.5);
  g.stroke();
  g.font = `${0.8 * unit}px system-ui, sans-serif`;
  g.fillStyle = COLOURS.text;
  g.textBaseline = "bottom";
  const step = niceStep((look.frames / width) * 4.5 * unit);
  for (let frame = 0; frame < look.frames; frame += step) {
    const x = placeOf(frame, look.frames, width);
    g.fillRect(x, axis, 1, 3);
    if (x + 2.5 * unit < width) g.fillText(String(frame), x + 3, height - 1);
  }
  g.textBaseline = "top";
  for (const clip of look.clips) {
    const x = placeOf(clip.start, look.frames, width);
    const room = placeOf(clip.frames, look.frames, width) - 8;
    g.fillStyle = COLOURS.line;
    g.fillRect(x, 0, 1, axis);
    g.fillStyle = COLOURS.text;
    if (g.measureText(clip.name).width <= room) g.fillText(clip.name, x + 4, 1);
  }
}

function drawHead(
  g: CanvasRenderingContext2D,
  look: ChartLook,
  width: number,
  height: number,
  unit: number,
): void {
  const x = (look.frame + 0.5) * (width / look.frames);
  g.fillStyle = COLOURS.head;
  g.fillRect(x - 1, 0, 2, height);
  triangle(g, x, 0.55 * unit, 0.5 * unit);
}

/** A triangle that points down to (x, y). */
function triangle(g: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  g.beginPath();
  g.moveTo(x - size, y - 1.2 * size);
  g.lineTo(x + size, y - 1.2 * size);
  g.lineTo(x, y);
  g.closePath();
  g.fill();
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= least) ?? 10 * power;
}
