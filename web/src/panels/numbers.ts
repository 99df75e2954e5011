/** Always in sight: error, bones, influences and size of what is shown. */
import { type App, part } from "../app";
import { current, isOpen } from "../store";
import { h } from "../ui/dom";
import { bytes, percent } from "../ui/text";

export function numbers(app: App): HTMLElement {
  return part(
    app,
    "numbers",
    (look) => [current(look), isOpen(look), look.server?.revision],
    (look) => {
      const version = current(look);
      const bones = version ? String(version.bones) : "–";
      const rigid =
        version && version.rigid_bones === version.bones
          ? "rigid"
          : version && version.rigid_bones > 0
            ? `${version.rigid_bones} rigid`
            : "flexible";
      const cells: [string, string, string, string][] = [
        [
          "error",
          // What was changed on purpose is no mistake.
          version?.kind === "edit" || version?.kind === "transplant" ? "Changed by" : "Error",
          percent(version?.percent),
          "100 · ‖P − Q‖ / ‖P − mean of P over time‖",
        ],
        ["bones", "Bones", bones, version ? rigid : ""],
        [
          "influences",
          "Influences",
          version ? String(version.influences) : "–",
          version && version.rank > 0 ? `and ${version.rank} corrections` : "the most on one vertex",
        ],
        ["bytes", "Size", bytes(version?.bytes), "weights, bones and their motion"],
      ];
      return [
        h(
          "dl",
          { class: "numbers" },
          cells.map(([id, name, value, hint]) =>
            h("div", { title: hint }, h("dt", {}, name), h("dd", { "data-testid": `number-${id}` }, value)),
          ),
        ),
      ];
    },
  );
}
