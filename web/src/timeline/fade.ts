/**
 * How much of an edit each frame gets: the rule of the library (motion/hand_span.rs, edit_bone.rs, edit_pose.rs), so that what
 * is drawn is what is done. The frame that the hand is in always gets all of it, where a clip begins or ends nothing fades,
 * and the ends of a clip that loops are one frame.
 */
import type { Clip } from "../net/types";

export interface Fade {
  from: number;
  to: number;
  /** Frames over which it grows before the hand's frame, and fades after it. */
  easeIn: number;
  easeOut: number;
  /** The other end of a loop, which changes as the hand's frame does. */
  twin: number | null;
}

/** Of an edit: the range and the hand's frame, which belongs to it wherever it is. */
export function editFade(
  range: readonly [number, number],
  ease: number,
  frame: number,
  clips: readonly Clip[],
): Fade {
  let [from, to] = [Math.min(range[0], frame), Math.max(range[1], frame)];
  const lastOf = (clip: Clip) => clip.start + clip.frames - 1;
  let easeIn = clips.some((clip) => clip.start === from) ? 0 : ease;
  let easeOut = clips.some((clip) => lastOf(clip) === to) ? 0 : ease;
  let twin: number | null = null;
  const own = clips.find((clip) => frame >= clip.start && frame <= lastOf(clip));
  if (own?.loops) {
    const [first, last] = [own.start, lastOf(own)];
    if (frame === first && to <= last) [twin, to] = [last, Math.min(to, last - 1)];
    else if (frame === last && from >= first) [twin, from] = [first, Math.max(from, first + 1)];
    else if (to === last && from > first) [to, easeOut] = [last - 1, ease];
    else if (from === first && to < last) [from, easeIn] = [first + 1, ease];
  }
  return { from, to, easeIn: Math.min(easeIn, frame - from), easeOut: Math.min(easeOut, to - frame), twin };
}

/** How much a frame gets, 0 to 1. */
export function share({ from, to, easeIn, easeOut, twin }: Fade, frame: number): number {
  if (frame === twin) return 1;
  if (frame < from || frame > to) return 0;
  const eased = (fromEnd: number, ease: number) => {
    const x = Math.min(1, (fromEnd + 1) / (ease + 1));
    return x * x * (3 - 2 * x);
  };
  return eased(frame - from, easeIn) * eased(to - frame, easeOut);
}
