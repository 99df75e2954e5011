/** Sculpting: what the brush changes, how, and which frames follow. */
import { type App, part } from "../app";
import { type Brush, type Look, current } from "../store";
import { h } from "../ui/dom";
import { field, note, section, segmented, slider } from "../ui/fields";
import { rangeSection } from "./bone";

export function sculptPanel(app: App): HTMLElement {
  const { store } = app.session;
  const change = (change: Partial<Brush>) => store.set({ brush: { ...store.now.brush, ...change } });
  return h(
    "div",
    { class: "panel" },
    part(
      app,
      "sculpt",
      (look) => [
        look.brush.target,
        look.brush.carry,
        look.brush.mode,
        current(look) === null,
        radiusByKeys(look),
      ],
      (look) => {
        if (!current(look)) return [note("Fit a rig or open one: then its poses can be sculpted.")];
        const { brush } = look;
        const later =
          brush.target === "pose" &&
          field(
            "Carried to",
            segmented(
              "Frames that follow",
              "brush-carry",
              [
                ["later", "Later frames"],
                ["all", "All"],
                ["range", "Range"],
              ],
              brush.carry,
              (v) => change({ carry: v as Brush["carry"] }),
            ),
            "What bones cannot do is kept as a shape that they carry along.",
          );
        return [
          section(
            "Sculpt",
            field(
              "What",
              segmented(
                "What is sculpted",
                "brush-target",
                [
                  ["pose", "This pose"],
                  ["rest", "Rest pose"],
                ],
                brush.target,
                (v) => change({ target: v as Brush["target"] }),
              ),
            ),
            later,
            brush.target === "rest" &&
              note("What is added or taken away shows in all frames, turned with the body."),
          ),
          section(
            "Brush",
            segmented(
              "Brush",
              "brush-mode",
              [
                ["grab", "Grab", "Pull the surface along"],
                ["smooth", "Smooth", "Even it out"],
              ],
              brush.mode,
              (v) => change({ mode: v as Brush["mode"] }),
            ),
            field(
              "Radius",
              slider({
                label: "Radius of the brush",
                id: "brush-radius",
                value: brush.radius,
                min: 0.01,
                max: 0.4,
                show: (v) => `${(v * 100).toFixed(0)} %`,
                act: (v) => change({ radius: v }),
              }),
            ),
            brush.mode === "smooth" &&
              field(
                "Strength",
                slider({
                  label: "Strength of the brush",
                  id: "brush-strength",
                  value: brush.strength,
                  min: 0.05,
                  max: 1,
                  show: (v) => `${(v * 100).toFixed(0)} %`,
                  act: (v) => change({ strength: v }),
                }),
              ),
            note("Drag on the surface. Hold Shift to move the camera instead. [ and ] change the radius."),
          ),
        ];
      },
    ),
    part(
      app,
      "sculpt-range",
      (look) => [
        look.brush.carry === "range" && look.brush.target === "pose" && current(look) !== null,
        look.range,
        look.ease,
      ],
      (look) => [
        look.brush.carry === "range" &&
          look.brush.target === "pose" &&
          current(look) !== null &&
          rangeSection(app, look),
      ],
    ),
  );
}

/** The radius, unless it is the slider itself that moves: it must not be drawn anew under the hand. */
const radiusByKeys = (look: Look): number | null =>
  document.activeElement?.getAttribute("data-testid") === "brush-radius" ? null : look.brush.radius;
