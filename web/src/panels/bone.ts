/** Editing a bone: which one, which frames the edit reaches, and turning by numbers. */
import { type App, part } from "../app";
import type { Reach } from "../net/types";
import { type Look, clipRange, clipsOf, current, frameCount, reachOf } from "../store";
import { h } from "../ui/dom";
import { button, field, note, number, section, segmented, slider } from "../ui/fields";
import { outliner } from "./outliner";

const PICK = "Click the surface to pick the bone that moves it most, or a name.";
const TURN = "Drag the rings to turn it. Where it goes is solved so that the skin holds together.";
let step = 10;

export function bonePanel(app: App): HTMLElement {
  const { store } = app.session;
  return h(
    "div",
    { class: "panel" },
    outliner(app),
    part(
      app,
      "bone-pick",
      (look) => [look.bone === null, current(look) === null],
      (look) => [current(look) !== null && note(look.bone === null ? PICK : TURN)],
    ),
    part(
      app,
      "bone-reach",
      (look) => [reachOf(look)],
      (look) => [
        field(
          "What hangs on it",
          segmented(
            "What hangs on the bone",
            "reach",
            [
              ["hanging", "Turns along"],
              ["alone", "Stays"],
            ],
            reachOf(look),
            (v) => store.set({ reach: v as Reach }),
          ),
        ),
      ],
    ),
    part(
      app,
      "bone-range",
      (look) => [look.range, look.ease, frameCount(look), clipsOf(look).length],
      (look) => [rangeSection(app, look)],
    ),
    part(
      app,
      "bone-turn",
      (look) => [look.bone === null, current(look)?.chain],
      (look) => {
        const turn = (axis: "x" | "y" | "z", sign: number) =>
          button({
            label: `${axis.toUpperCase()} ${sign < 0 ? "−" : "+"}`,
            id: `turn-${axis}${sign < 0 ? "-minus" : "-plus"}`,
            disabled: look.bone === null,
            act: () => void app.bone.turnBy(axis, sign * step),
          });
        return [
          section(
            "Turn by numbers",
            field(
              "Degrees",
              number({
                label: "Degrees",
                id: "turn-step",
                value: step,
                min: 0.1,
                max: 180,
                act: (v) => (step = v),
              }),
            ),
            h(
              "div",
              { class: "turns" },
              turn("x", -1),
              turn("y", -1),
              turn("z", -1),
              turn("x", 1),
              turn("y", 1),
              turn("z", 1),
            ),
          ),
        ];
      },
    ),
  );
}

/** From, to and fade: the same that the timeline's handles show. */
export function rangeSection(app: App, look: Look): HTMLElement {
  const { store } = app.session;
  const last = Math.max(0, frameCount(look) - 1);
  const [from, to] = look.range;
  // Of several clips an edit is seldom meant for all.
  const clips = clipsOf(look);
  const whole = button({
    label: clips.length ? "This clip" : "All",
    id: "range-all",
    kind: "plain",
    hint: clips.length ? "All frames of the clip" : "All frames",
    act: () => store.set({ range: clipRange(store.now) }),
  });
  const only = button({
    label: "This frame",
    id: "range-one",
    kind: "plain",
    act: () => store.set({ range: [store.now.frame, store.now.frame] }),
  });
  const later = button({
    label: "From here",
    id: "range-later",
    kind: "plain",
    hint: clips.length ? "This frame and all later ones of the clip" : "This frame and all later ones",
    act: () => store.set({ range: [store.now.frame, clipRange(store.now)[1]] }),
  });
  return section(
    "Frames it reaches",
    h(
      "div",
      { class: "pair" },
      field(
        "From",
        number({
          label: "First frame",
          id: "range-from",
          value: from,
          min: 0,
          max: last,
          step: 1,
          act: (v) => store.set({ range: [v, Math.max(v, to)] }),
        }),
      ),
      field(
        "To",
        number({
          label: "Last frame",
          id: "range-to",
          value: to,
          min: 0,
          max: last,
          step: 1,
          act: (v) => store.set({ range: [Math.min(from, v), v] }),
        }),
      ),
    ),
    h("div", { class: "buttons tight" }, whole, later, only),
    field(
      "Fade at the ends",
      slider({
        label: "Frames over which the edit fades",
        id: "range-ease",
        value: look.ease,
        min: 0,
        max: Math.max(1, Math.floor(last / 2)),
        step: 1,
        show: (v) => `${v} frames`,
        live: false,
        act: (v) => store.set({ ease: v }),
      }),
    ),
  );
}
