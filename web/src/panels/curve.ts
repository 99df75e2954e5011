/** Error against size, both on logarithmic axes; a point shows the version that it is of. */
import { type App, part } from "../app";
import type { CurvePoint } from "../net/types";
import { h, svg } from "../ui/dom";
import { note, section } from "../ui/fields";
import { bytes, digits, percent } from "../ui/text";

const WIDTH = 240;
const HEIGHT = 130;
const LEFT = 46;
const BOTTOM = 18;

export function curve(app: App): HTMLElement {
  const body = part(
    app,
    "curve",
    (look) => [look.server?.curve, look.server?.current, look.server?.revision],
    (look) => {
      const points = (look.server?.curve ?? []).filter((point) => point.percent > 0 && point.bytes > 0);
      if (points.length === 0)
        return [note("Every fit adds a point. “Measure the curve” in Fit draws it whole.")];
      return [draw(app, points, look.server?.current ?? null)];
    },
  );
  return section("Error against size", body);
}

function draw(app: App, points: CurvePoint[], current: number | null): HTMLElement {
  const sorted = [...points].sort((a, b) => a.bytes - b.bytes);
  const xs = scale(
    sorted.map((p) => p.bytes),
    LEFT + 6,
    WIDTH - 8,
  );
  const ys = scale(
    sorted.map((p) => p.percent),
    HEIGHT - BOTTOM - 6,
    8,
  );
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "curve",
    role: "group",
    "aria-label": "Error against size",
  });
  picture.append(svg("path", { class: "axis", d: `M${LEFT} 4V${HEIGHT - BOTTOM}H${WIDTH - 4}` }));
  const label = (x: number, y: number, anchor: string, text: string) => {
    const element = svg("text", { x, y, "text-anchor": anchor });
    element.textContent = text;
    picture.append(element);
  };
  const least = Math.min(...sorted.map((p) => p.percent));
  const most = Math.max(...sorted.map((p) => p.percent));
  label(LEFT - 4, ys(most) + 3, "end", `${digits(most)} %`);
  if (ys(least) - ys(most) > 12) label(LEFT - 4, ys(least) + 3, "end", `${digits(least)} %`);
  label(xs(sorted[0].bytes), HEIGHT - 5, "start", bytes(sorted[0].bytes));
  if (xs(sorted.at(-1)!.bytes) - xs(sorted[0].bytes) > 60)
    label(WIDTH - 8, HEIGHT - 5, "end", bytes(sorted.at(-1)!.bytes));
  picture.append(
    svg("path", {
      class: "line",
      d: `M${frontier(sorted)
        .map((p) => `${xs(p.bytes)} ${ys(p.percent)}`)
        .join("L")}`,
    }),
  );
  for (const point of sorted)
    picture.append(
      dot(
        app,
        point,
        xs(point.bytes),
        ys(point.percent),
        point.version !== null && point.version === current,
      ),
    );
  return h("div", {}, picture as unknown as HTMLElement);
}

function dot(app: App, point: CurvePoint, x: number, y: number, chosen: boolean): SVGElement {
  const hint = svg("title");
  hint.textContent = `${point.bones} bones, ${bytes(point.bytes)}, ${percent(point.percent)}${point.version === null ? ": click to fit it" : ""}`;
  const circle = svg(
    "circle",
    {
      cx: x,
      cy: y,
      r: chosen ? 5 : 4,
      class: `dot ${chosen ? "chosen" : ""} ${point.version === null ? "open" : ""}`,
      tabindex: 0,
      role: "button",
      "aria-label": hint.textContent,
      "data-testid": `curve-${point.bones}`,
    },
    hint,
  );
  const act = () => {
    if (point.version !== null) void app.session.ask({ do: "select", version: point.version });
    else
      void app.session.ask({
        do: "fit",
        method: "best",
        kind: "flexible",
        goal: { bones: point.bones },
        influences: 4,
        rank: 0,
      });
  };
  circle.addEventListener("click", act);
  circle.addEventListener("keydown", (event) => {
    if ((event as KeyboardEvent).key === "Enter") act();
  });
  return circle;
}

/** Points that no other beats in both. */
function frontier(sorted: CurvePoint[]): CurvePoint[] {
  let least = Infinity;
  return sorted.filter((point) => point.percent < least && ((least = point.percent), true));
}

function scale(values: number[], from: number, to: number): (value: number) => number {
  const low = Math.log(Math.min(...values));
  const span = Math.log(Math.max(...values)) - low;
  return (value) => (span < 1e-9 ? (from + to) / 2 : from + ((Math.log(value) - low) / span) * (to - from));
}
