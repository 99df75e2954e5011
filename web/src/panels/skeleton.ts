/** Skeleton and deformation: extract, paint handles, pose joints, examples, anchors. */
import { type App, asks, part } from "../app";
import type { Deform } from "../net/types";
import { type Look, current, isOpen } from "../store";
import { css, distinct } from "../viewer/colours";
import { h } from "../ui/dom";
import { button, field, note, number, section, segmented, select, slider } from "../ui/fields";
import { bytes } from "../ui/text";

const form = { joints: 0, segmenter: "best", example: "" };

export function skeletonPanel(app: App): HTMLElement {
  return h(
    "div",
    { class: "panel" },
    part(
      app,
      "skeleton-extract",
      (look) => [
        isOpen(look),
        look.server?.has_original,
        current(look)?.skeleton,
        look.server?.deform === null,
        look.tables,
      ],
      (look) => {
        if (!isOpen(look)) return [note("Open an animation first: its motion shows where the joints are.")];
        return look.server?.deform ? [] : [extractSection(app, look), deformSection(app, look)];
      },
    ),
    part(
      app,
      "deform",
      (look) => [look.server?.deform, look.joint, look.paint],
      (look) => {
        const deform = look.server?.deform;
        return deform
          ? [
              jointSection(app, look, deform),
              paintSection(app, look),
              poseSection(app, look, deform),
              exampleSection(app, deform),
              anchorSection(app, deform),
              h(
                "div",
                { class: "buttons" },
                button({
                  label: "Leave",
                  id: "handles-leave",
                  hint: "Back to extracting a skeleton; Undo brings handles, pose and examples back",
                  act: asks(app, { do: "drop_handles" }),
                }),
              ),
            ]
          : [];
      },
    ),
  );
}

function extractSection(app: App, look: Look): HTMLElement {
  const start = () => {
    const bones = form.joints > 0 ? form.joints : null;
    void app.session.ask({ do: "skeleton", bones, segmenter: form.segmenter });
  };
  const segmenters = look.tables?.segmenters ?? [];
  return section(
    "Extract a skeleton",
    note("Finds the joints that the motion shows and hangs them in one tree. It is drawn inside the mesh."),
    field(
      "Joints (0: as many as the motion shows)",
      number({
        label: "Number of joints",
        id: "skeleton-joints",
        value: form.joints,
        min: 0,
        max: 500,
        step: 1,
        act: (v) => (form.joints = v),
      }),
    ),
    field(
      "Parts",
      select(
        "Parts",
        "skeleton-segmenter",
        segmenters.map(({ name }) => [name, name]),
        form.segmenter,
        (v) => (form.segmenter = v),
      ),
    ),
    button({
      label: "Extract",
      id: "skeleton-start",
      kind: current(look)?.skeleton ? "" : "main",
      disabled: !look.server?.has_original,
      act: start,
    }),
  );
}

function deformSection(app: App, look: Look): HTMLElement {
  const ready = current(look)?.skeleton === true;
  const how = ready
    ? "Every triangle turns with the joints around it and the whole is stitched together again: elbows keep their volume."
    : "The current version has no skeleton yet.";
  return section(
    "Deform by the skeleton",
    note(how),
    button({
      label: "Pose and paint",
      id: "handles",
      kind: ready ? "main" : "",
      disabled: !ready,
      act: asks(app, { do: "handles" }),
    }),
  );
}

function jointSection(app: App, look: Look, deform: Deform): HTMLElement {
  const { store } = app.session;
  const rows = deform.joints.map((joint, i) => {
    const dot = h("span", { class: "swatch" });
    dot.style.background = css(distinct(i));
    return h(
      "button",
      {
        type: "button",
        class: "row",
        role: "option",
        "aria-selected": String(look.joint === i),
        "data-testid": `joint-${i}`,
        title: joint.name,
        onclick: () => store.set({ joint: i }),
      },
      dot,
      h("span", { class: "grow" }, joint.name),
    );
  });
  return section("Joints", h("div", { class: "list", role: "listbox", "aria-label": "Joints" }, rows));
}

function paintSection(app: App, look: Look): HTMLElement {
  const { store } = app.session;
  return section(
    "Handles",
    segmented(
      "Painting",
      "paint",
      [
        ["off", "Pose"],
        ["add", "Paint"],
        ["remove", "Erase"],
      ],
      look.paint,
      (v) => store.set({ paint: v as Look["paint"] }),
    ),
    look.paint === "off"
      ? note("Handles are the vertices that follow a joint fully. Choose Paint to draw them.")
      : field(
          "Brush",
          slider({
            label: "Radius of the paint brush",
            id: "paint-radius",
            value: look.paintRadius,
            min: 0.01,
            max: 0.2,
            show: (v) => `${(v * 100).toFixed(0)} %`,
            live: false,
            act: (v) => store.set({ paintRadius: v }),
          }),
        ),
    look.paint !== "off" && look.joint === null ? note("Choose a joint first.") : null,
  );
}

function poseSection(app: App, look: Look, deform: Deform): HTMLElement {
  const { joint } = look;
  if (joint === null || joint >= deform.joints.length)
    return section("Pose", note("Click a joint inside the mesh, or in the list, and drag its rings."));
  const turn = (axis: number, value: number) => {
    const joints =
      app.session.store.now.server?.deform?.pose.map(([x, y, z]): [number, number, number] => [x, y, z]) ??
      [];
    joints[joint][axis] = value;
    void app.session.ask({ do: "pose", joints });
  };
  const axes = ["X", "Y", "Z"].map((name, axis) =>
    field(
      name,
      slider({
        label: `${name}, degrees`,
        id: `pose-${name.toLowerCase()}`,
        value: deform.pose[joint][axis],
        min: -120,
        max: 120,
        step: 1,
        show: (v) => `${v.toFixed(0)}°`,
        live: false,
        act: (v) => turn(axis, v),
      }),
    ),
  );
  const reset = button({
    label: "Back to rest",
    id: "pose-reset",
    act: () => void app.session.ask({ do: "pose", joints: deform.pose.map(() => [0, 0, 0]) }),
  });
  return section(`Pose of ${deform.joints[joint].name}`, ...axes, reset);
}

function exampleSection(app: App, deform: Deform): HTMLElement {
  const name = h("input", {
    type: "text",
    value: form.example || `pose ${deform.examples.length + 1}`,
    "aria-label": "Name of the example",
    "data-testid": "example-name",
    onchange: () => (form.example = name.value),
  });
  const add = () => {
    form.example = "";
    void app.session.ask({ do: "example", name: name.value });
  };
  return section(
    "Examples",
    deform.examples.length
      ? h(
          "ul",
          { class: "plain-list", "data-testid": "examples" },
          deform.examples.map((text, i) =>
            h(
              "li",
              { class: "line" },
              h("span", { class: "grow" }, text),
              button({
                label: `Delete the example ${text}`,
                icon: "close",
                id: `example-drop-${i}`,
                iconOnly: true,
                kind: "plain",
                act: asks(app, { do: "drop_example", name: text }),
              }),
            ),
          ),
        )
      : note("An example says what the surface does in a pose: a muscle, a crease. Pose, sculpt, then add."),
    h("div", { class: "pair" }, name, button({ label: "Add this shape", id: "example-add", act: add })),
  );
}

function anchorSection(app: App, deform: Deform): HTMLElement {
  const kept = slider({
    label: "Anchors kept, percent",
    id: "anchors",
    value: deform.anchors ?? 100,
    min: 1,
    max: 100,
    step: 1,
    show: (v) => `${v.toFixed(0)} %`,
    live: false,
    act: (v) => void app.session.ask({ do: "anchors", percent: v }),
  });
  return section(
    "Anchors",
    field("Kept", kept),
    h(
      "p",
      { class: "note", "data-testid": "deform-bytes" },
      `${bytes(deform.bytes)} of memory. Fewer anchors are faster and smaller, and a little less exact.`,
    ),
  );
}
