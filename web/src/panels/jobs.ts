/** Work that runs in the background: what it is at, how far, and a way to stop it. */
import { type App, part } from "../app";
import { title } from "../session";
import { h } from "../ui/dom";
import { button } from "../ui/fields";

export function jobs(app: App): HTMLElement {
  return part(
    app,
    "jobs",
    (look) => [look.jobs, look.loading],
    (look) => [
      ...look.jobs.map((job) => {
        const percent = Math.round(Math.min(1, Math.max(0, job.done ?? 0)) * 100);
        const fill = h("div", { class: "fill" });
        fill.style.width = `${percent}%`;
        return h(
          "div",
          { class: "job", "data-testid": `job-${job.kind}` },
          h(
            "div",
            { class: "job-text" },
            h("strong", {}, title(job.kind)),
            h("span", { class: "quiet grow" }, job.stage),
            h(
              "span",
              { class: "quiet" },
              `${percent} %${job.seconds ? ` · ${job.seconds.toFixed(0)} s` : ""}`,
            ),
          ),
          h(
            "div",
            {
              class: "bar",
              role: "progressbar",
              "aria-valuenow": percent,
              "aria-valuemin": 0,
              "aria-valuemax": 100,
              "aria-label": `${title(job.kind)}: ${job.stage}`,
            },
            fill,
          ),
          button({
            label: "Cancel",
            icon: "close",
            id: `cancel-${job.kind}`,
            iconOnly: true,
            kind: "plain",
            act: () => void app.session.ask("cancel", { job: job.id }),
          }),
        );
      }),
      look.loading
        ? h(
            "div",
            { class: "job", "data-testid": "loading" },
            h("span", { class: "spinner" }),
            h("span", {}, `${look.loading}…`),
          )
        : null,
    ],
  );
}
