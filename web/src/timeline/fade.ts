/**
 * How much of an edit each frame gets: the library's own rule (motion/edit_bone.rs, edit_pose.rs), so that what is
 * drawn is what is done. The frame that the hand is in always gets all of it.
 */
export interface Fade {
  from: number;
  to: number;
  /** Frames over which it grows before the hand's frame, and fades after it. */
  easeIn: number;
  easeOut: number;
}

/** Of a turn: the range and the hand's frame, which belongs to it wherever it is. */
export function turnFade([from, to]: readonly [number, number], ease: number, frame: number): Fade {
  const [first, last] = [Math.min(from, frame), Math.max(to, frame)];
  return {
    from: first,
    to: last,
    easeIn: Math.min(ease, frame - first),
    easeOut: Math.min(ease, last - frame),
  };
}

/** Of a sculpted pose, which later frames follow: it begins in the hand's frame. */
export function sculptFade([, to]: readonly [number, number], ease: number, frame: number): Fade {
  return { ...turnFade([frame, to], ease, frame), easeIn: 0 };
}

/** How much a frame of the range gets, 0 to 1. */
export function share({ from, to, easeIn, easeOut }: Fade, frame: number): number {
  const eased = (fromEnd: number, ease: number) => {
    const x = Math.min(1, (fromEnd + 1) / (ease + 1));
    return x * x * (3 - 2 * x);
  };
  return eased(frame - from, easeIn) * eased(to - frame, easeOut);
}
