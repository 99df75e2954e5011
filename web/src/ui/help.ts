/** The help overlay: keys, mouse, and what each tool is for. */
import { type App, part } from "../app";
import { h } from "./dom";
import { button } from "./fields";

const KEYS: [string, string][] = [
  ["Space", "Play or pause"],
  ["← →", "Frame before, next frame; with Shift ten"],
  ["Home, End", "First and last frame"],
  ["E", "Worst frame"],
  ["1 2 3 4", "Rig, original, side by side, difference"],
  ["F, Alt-1 2 3", "Frame the mesh; from the front, the side, above"],
  ["W B K G C T H", "Wireframe, bones, skeleton, weights, corrections, textures, ground"],
  ["[ ]", "Smaller and larger brush"],
  ["Ctrl-Z, Ctrl-Shift-Z", "Undo, redo"],
  ["Ctrl-S", "To the panel that saves; Enter saves"],
  ["Esc", "Give up a drag under way; let go of the bone or joint; close this"],
  ["?", "This help"],
];
const MOUSE: [string, string][] = [
  ["Drag", "Orbit; on the surface the brush, where one is chosen"],
  ["Shift-drag", "Orbit or pan while a brush is chosen"],
  ["Right drag", "Pan"],
  ["Wheel", "Zoom"],
  ["Click", "Pick the bone that moves the surface most there"],
];
const TOOLS: [string, string][] = [
  ["Open", "Files of the server or of this computer, or the sample"],
  ["Fit", "Bones, weights and corrections that replay the animation"],
  ["Bone", "Turn a bone; the frames it reaches are the handles in the timeline"],
  ["Sculpt", "Grab and smooth a pose or the rest pose; later frames follow"],
  ["Motion", "Move other motion onto the rig: a joint, then a bone, in matching colours"],
  ["Skeleton", "Extract joints, paint what follows them, pose them"],
  ["Save", "Any format, a picture, a report"],
];

export function help(app: App): HTMLElement {
  const { store } = app.session;
  const close = () => store.set({ help: false });
  let before: Element | null = null;
  // Nothing behind it is reached by Tab; the keyboard goes back to where it was.
  const hold = (open: boolean) => {
    const beside = [...document.body.children].filter((child) => !child.contains(holder));
    beside.forEach((child) => child.toggleAttribute("inert", open));
    if (open) before = document.activeElement;
    else if (before instanceof HTMLElement) before.focus();
  };
  const holder = helpPart(app, close);
  store.on(
    (look) => [look.help],
    (look) => hold(look.help),
  );
  return holder;
}

function helpPart(app: App, close: () => void): HTMLElement {
  return part(
    app,
    "help-holder",
    (look) => [look.help],
    (look) => {
      if (!look.help) return [];
      const table = (name: string, rows: [string, string][]) =>
        h(
          "section",
          {},
          h("h3", {}, name),
          h(
            "dl",
            {},
            rows.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)]),
          ),
        );
      const box = h(
        "div",
        {
          class: "help",
          role: "dialog",
          "aria-modal": "true",
          "aria-label": "Help",
          "data-testid": "help-overlay",
          onclick: (event: MouseEvent) => event.stopPropagation(),
        },
        h(
          "div",
          { class: "help-head" },
          h("h2", {}, "Keys and tools"),
          button({
            label: "Close help",
            icon: "close",
            id: "help-close",
            iconOnly: true,
            kind: "plain",
            act: close,
          }),
        ),
        h(
          "div",
          { class: "help-body" },
          table("Keyboard", KEYS),
          h("div", {}, table("Mouse", MOUSE), table("Tools", TOOLS)),
        ),
      );
      queueMicrotask(() => box.querySelector("button")?.focus());
      return [h("div", { class: "shade", onclick: close }, box)];
    },
  );
}
