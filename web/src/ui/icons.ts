/** Icons drawn as strokes on a 24 by 24 field, so that they follow the text's colour and size. */
import { svg } from "./dom";

const PATHS: Record<string, string> = {
  open: "M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
  fit: "M4 19 9 9l4 6 3-5 4 9M4 5h4M16 5h4M10 5h4",
  bone: "M7.5 16.5 16.5 7.5M5 15a2.4 2.4 0 1 0 4 4M15 5a2.4 2.4 0 1 1 4 4M5 15a2.4 2.4 0 0 1 2.5 1.5M9 19a2.4 2.4 0 0 0-1.5-2.5M15 5a2.4 2.4 0 0 0 1.500 2.500M19 9a2.400 2.400 0 0 1-2.500-1.500",
  sculpt: "M14 4l6 6-9 9H5v-6zM12 6l6 6",
  motion: "M13 5a1.800 1.800 0 1 0 .01 0M12 9l-3 4 4 2-2 6M12 9l4 3 3-1M9 13l-4 1M13 15l3 5",
  skeleton: "M12 3v5M12 8 6 11v5M12 8l6 3v5M12 8v7M12 15l-3 6M12 15l3 6",
  save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  undo: "M9 7 4 12l5 5M4 12h10a5 5 0 0 1 0 10h-2",
  redo: "M15 7l5 5-5 5M20 12H10a5 5 0 0 0 0 10h2",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 18v.01",
  play: "M7 4.500v15l12-7.500z",
  pause: "M8 5v14M16 5v14",
  first: "M6 5v14M18 5l-8 7 8 7z",
  last: "M18 5v14M6 5l8 7-8 7z",
  back: "M15 5l-8 7 8 7z",
  next: "M9 5l8 7-8 7z",
  worst: "M12 4 2.500 20h19zM12 10v5M12 17.500v.01",
  close: "M6 6l12 12M18 6 6 18",
  folder: "M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  up: "M12 19V5M6 11l6-6 6 6",
  frame: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  pencil: "M4 20l1-4L16 5l3 3L8 19z",
  hide: "M3 12c3-5 6-7 9-7s6 2 9 7c-3 5-6 7-9 7s-6-2-9-7M4 20 20 4",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  wire: "M12 3 3 19h18zM12 3v16M7.500 11h9",
  bones:
    "M4 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0M16 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0M10 14a2 2 0 1 0 4 0a2 2 0 1 0-4 0M4 20a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7.500 7.500l3 5M16.500 7.500l-3 5M7 18l3.500-3",
  weights: "M12 3a9 9 0 1 0 .01 0M12 8a4 4 0 1 0 .01 0M12 11.500a.5 .5 0 1 0 .01 0",
  corrections: "M3 15c4 0 4-8 9-8s5 8 9 8M3 19c4 0 5-4 9-4s5 4 9 4",
  textures: "M3 5h18v14H3zM3 16l5-5 4 4 3-3 6 6M15.500 8.500a1.200 1.200 0 1 0 .01 0",
  grid: "M3 9h18M3 15h18M9 3v18M15 3v18",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
};

export function icon(name: string): SVGElement {
  const path = svg("path", { d: PATHS[name] ?? "" });
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, path);
}
