/**
 * How much of an edit each frame gets: the rule of the session (session/fade.rs) and the library (motion/edit_bone.rs,
 * edit_pose.rs), so that what is drawn is what is done. The frame that the hand is in always gets all of it, and where
 * a clip begins or ends nothing fades.
 */
export interface Fade {
  from: number;
  to: number;
  /** Frames over which it grows before the hand's frame, and fades after it. */
  easeIn: number;
  easeOut: number;
}

/** First and last frames of clips. */
export interface ClipEnds {
  first: number[];
  last: number[];
}

/** Of an edit: the range and the hand's frame, which belongs to it wherever it is. */
export function editFade(
  [from, to]: readonly [number, number],
  ease: number,
  frame: number,
  ends: ClipEnds,
): Fade {
  const [first, last] = [Math.min(from, frame), Math.max(to, frame)];
  return {
    from: first,
    to: last,
    easeIn: ends.first.includes(first) ? 0 : Math.min(ease, frame - first),
    easeOut: ends.last.includes(last) ? 0 : Math.min(ease, last - frame),
  };
}

/** How much a frame of the range gets, 0 to 1. */
export function share({ from, to, easeIn, easeOut }: Fade, frame: number): number {
  const eased = (fromEnd: number, ease: number) => {
    const x = Math.min(1, (fromEnd + 1) / (ease + 1));
    return x * x * (3 - 2 * x);
  };
  return eased(frame - from, easeIn) * eased(to - frame, easeOut);
}
