/** Fitting: how, with what, and the error-against-size curve. */
import { type App, part } from "../app";
import type { BoneKind, FitGoal, Method, Tables } from "../net/types";
import { title } from "../session";
import { isOpen } from "../store";
import { fill, h } from "../ui/dom";
import { button, field, note, number, section, segmented, select } from "../ui/fields";

type Goal = "auto" | "bones" | "error" | "bytes";

/** What the form holds, kept while other panels are open. */
const form = {
  method: "best" as Method,
  kind: "flexible" as BoneKind,
  start: "turns",
  goal: "auto" as Goal,
  bones: 20,
  error: 1,
  kilobytes: 200,
  influences: 4,
  rank: 0,
};

function goal(): FitGoal {
  if (form.goal === "bones") return { bones: form.bones };
  if (form.goal === "error") return { error: form.error };
  return form.goal === "bytes" ? { bytes: Math.round(form.kilobytes * 1000) } : {};
}

/** How, and with what bones: as the library lists them. */
function choices({ methods, bone_kinds, starts }: Tables): HTMLElement[] {
  return [
    field(
      "Method",
      select(
        "Method",
        "fit-method",
        // What stands after the colon is for those who have room to read.
        methods.map(({ name, about }) => [name, `${name}: ${about.split(":")[0]}`]),
        form.method,
        (v) => (form.method = v as Method),
      ),
    ),
    field(
      "Kind of bones",
      segmented(
        "Kind of bones",
        "fit-kind",
        bone_kinds.map(({ name, about }) => [name, title(name), about]),
        form.kind,
        (v) => (form.kind = v as BoneKind),
      ),
    ),
    field(
      "Start (method best)",
      select(
        "Start",
        "fit-segmenter",
        starts.map(({ name }) => [name, name]),
        form.start,
        (v) => (form.start = v),
      ),
    ),
  ];
}

export function fitPanel(app: App): HTMLElement {
  const value = h("div", { class: "part" });
  const drawValue = () => fill(value, goalField(app.session.store.now.tables));
  const start = () => {
    const { method, kind, start, influences, rank } = form;
    void app.session.ask({ do: "fit", method, kind, start, goal: goal(), influences, rank });
  };
  drawValue();
  return h(
    "div",
    { class: "panel" },
    part(
      app,
      "fit-state",
      (look) => [isOpen(look), look.server?.has_original],
      (look) => [
        !isOpen(look)
          ? note("Open an animation first: a fit turns it into bones, weights and corrections.")
          : !look.server?.has_original && note("There is no original to fit: this file holds a rig only."),
      ],
    ),
    section(
      "Bones",
      part(
        app,
        "fit-choices",
        (look) => [look.tables],
        ({ tables }) => (tables ? choices(tables) : []),
      ),
    ),
    section(
      "Goal",
      segmented(
        "Goal",
        "fit-goal",
        [
          ["auto", "Auto", "As many bones as the animation needs"],
          ["bones", "Bones"],
          ["error", "Error"],
          ["bytes", "Size"],
        ],
        form.goal,
        (v) => {
          form.goal = v as Goal;
          drawValue();
        },
      ),
      value,
    ),
    section(
      "Detail",
      part(
        app,
        "fit-detail",
        (look) => [look.tables],
        ({ tables }) => [detail(tables)],
      ),
      note(
        "Influences are bones per vertex; engines take 4, some 8. Corrections are shapes added before the bones act.",
      ),
    ),
    part(
      app,
      "fit-buttons",
      (look) => [look.server?.has_original, isOpen(look)],
      (look) => {
        const disabled = !isOpen(look) || !look.server?.has_original;
        return [
          h(
            "div",
            { class: "buttons" },
            button({ label: "Fit", id: "fit-start", kind: "main", disabled, act: start }),
            button({
              label: "Measure the curve",
              id: "curve-start",
              disabled,
              hint: "Fits with several numbers of bones and draws error against size",
              act: () => void app.session.ask({ do: "curve" }),
            }),
          ),
        ];
      },
    ),
  );
}

function detail(tables: Tables | null): HTMLElement {
  return h(
    "div",
    { class: "pair" },
    field(
      "Influences",
      number({
        label: "Influences on a vertex",
        id: "fit-influences",
        value: form.influences,
        min: 1,
        max: tables?.most_influences,
        step: 1,
        act: (v) => (form.influences = v),
      }),
    ),
    field(
      "Corrections",
      number({
        label: "Correction shapes",
        id: "fit-rank",
        value: form.rank,
        min: 0,
        max: tables?.most_rank,
        step: 1,
        act: (v) => (form.rank = v),
      }),
    ),
  );
}

function goalField(tables: Tables | null): HTMLElement {
  if (form.goal === "bones")
    return field(
      "Number of bones",
      number({
        label: "Number of bones",
        id: "fit-bones",
        value: form.bones,
        min: 1,
        max: tables?.most_bones,
        step: 1,
        act: (v) => (form.bones = v),
      }),
    );
  if (form.goal === "error")
    return field(
      "Largest error, percent",
      number({
        label: "Target error in percent",
        id: "fit-error",
        value: form.error,
        min: 0.001,
        max: 100,
        act: (v) => (form.error = v),
      }),
    );
  if (form.goal === "bytes")
    return field(
      "Largest size, kB",
      number({
        label: "Size budget in kilobytes",
        id: "fit-bytes",
        value: form.kilobytes,
        min: 1,
        act: (v) => (form.kilobytes = v),
      }),
    );
  return note("As many bones as the animation needs.");
}
