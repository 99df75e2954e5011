/**
 * Words over the picture: what is shown where, the heat map's scale, and a sentence where there is nothing.
 */
import { type App, part } from "../app";
import { boneName, comparable, current, isOpen } from "../store";
import { h } from "../ui/dom";
import { button } from "../ui/fields";
import { percent } from "../ui/text";
import { heatGradient } from "./colours";
import { Overlays } from "./overlays";
import type { Side } from "./viewer";

export function legend(app: App): HTMLElement {
  return h("div", { class: "legend" }, empty(app), labels(app), scaleBar(app), tip(app), sides(app));
}

/** Where to look from. */
function sides(app: App): HTMLElement {
  const from = (side: Side, label: string, key: string) =>
    button({
      label,
      id: `look-${side}`,
      kind: "plain",
      hint: `${label} (${key})`,
      act: () => app.stage.frame(side),
    });
  return part(
    app,
    "sides",
    (look) => [isOpen(look)],
    (look) => [
      isOpen(look) &&
        h(
          "div",
          { class: "sides", role: "group", "aria-label": "Look from" },
          from("front", "Front", "Alt-1"),
          from("side", "Side", "Alt-2"),
          from("top", "Top", "Alt-3"),
        ),
    ],
  );
}

function empty(app: App): HTMLElement {
  return part(
    app,
    "empty",
    (look) => [isOpen(look), look.server === null, look.loading],
    (look) => {
      if (isOpen(look) || look.loading) return [];
      const text =
        look.server === null
          ? "Connecting to the server…"
          : "Drop an animation here: GLB, FBX, USD, Alembic, a point cache with its mesh, or a folder of frames.";
      const sample =
        look.server !== null &&
        button({
          label: "Open the sample",
          id: "empty-sample",
          kind: "main",
          act: () => void app.session.ask({ do: "open_sample" }),
        });
      return [h("div", { class: "empty" }, h("p", {}, text), sample)];
    },
  );
}

function labels(app: App): HTMLElement {
  return part(
    app,
    "labels",
    (look) => [look.view, isOpen(look), current(look)?.name, look.server?.has_original],
    (look) => {
      if (!isOpen(look)) return [];
      const version = current(look);
      const label = (text: string, side: string) =>
        h("span", { class: `label ${side}`, "data-testid": `label-${side}` }, text);
      if (look.view === "both" && version && look.server?.has_original)
        return [label("Original", "left"), label(version.name, "right"), h("span", { class: "divide" })];
      if (look.view === "original" || !version) return [label("Original", "left")];
      return [
        label(
          look.view === "difference" ? `${version.name}: distance to the original` : version.name,
          "left",
        ),
      ];
    },
  );
}

/** The scale of colours, with its ends; its top is halved and doubled by buttons. */
function scaleBar(app: App): HTMLElement {
  const { store } = app.session;
  return part(
    app,
    "scale",
    (look) => [
      look.view,
      look.scale,
      look.errors,
      look.weights,
      look.bone,
      look.tree,
      comparable(look),
      look.tool,
    ],
    (look) => {
      const difference = look.view === "difference" && comparable(look);
      const weights =
        look.weights &&
        look.bone !== null &&
        look.tool !== "motion" &&
        look.tool !== "skeleton" &&
        look.view !== "original";
      if (!difference && !weights) return [];
      const top = Overlays.top(look);
      const bar = h("div", {
        class: "ramp",
        role: "img",
        "aria-label": difference
          ? "Colours from no distance, dark, to the largest, bright"
          : "Colours from no weight, dark, to full weight, bright",
      });
      bar.style.background = heatGradient();
      const by = (factor: number) => () => store.set({ scale: Overlays.top(store.now) * factor });
      return [
        h(
          "div",
          { class: "scale" },
          h(
            "span",
            { class: "quiet" },
            difference ? "Distance, % of the size" : `Weight of ${boneName(look, look.bone!)}`,
          ),
          h(
            "div",
            { class: "scale-row" },
            h("span", {}, "0"),
            bar,
            h("span", { "data-testid": "scale-top" }, difference ? percent(top) : "1"),
            difference &&
              button({
                label: "Halve the scale",
                icon: "minus",
                id: "scale-halve",
                iconOnly: true,
                kind: "plain",
                act: by(0.5),
              }),
            difference &&
              button({
                label: "Double the scale",
                icon: "plus",
                id: "scale-double",
                iconOnly: true,
                kind: "plain",
                act: by(2),
              }),
          ),
        ),
      ];
    },
  );
}

/** What the hand can do now. */
function tip(app: App): HTMLElement {
  return part(
    app,
    "tip",
    (look) => [
      look.tool,
      look.bone,
      look.tree,
      look.joint,
      look.view,
      current(look)?.id,
      look.server?.transplant === null,
      look.server?.deform === null,
      look.paint,
    ],
    (look) => {
      if (!current(look) || look.view === "original") return [];
      const text = {
        bone:
          look.bone === null
            ? "Click the surface to pick a bone"
            : `${boneName(look, look.bone)}: drag a ring to turn it`,
        sculpt: "Drag on the surface to sculpt",
        motion: look.server?.transplant
          ? look.joint === null
            ? "Click a joint of the motion"
            : "Now click the bone that follows it"
          : "",
        skeleton: look.server?.deform
          ? look.joint === null
            ? "Click a joint"
            : look.paint === "off"
              ? "Drag a ring to turn the joint"
              : "Drag on the surface to paint"
          : "",
        open: "",
        fit: "",
        save: "",
      }[look.tool];
      return text ? [h("span", { class: "tip" }, text)] : [];
    },
  );
}
