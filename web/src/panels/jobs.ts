/** Work that runs in the background: what it is at, how far, and a way to stop it. */
import { type App, part } from "../app";
import { title } from "../session";
import { fill, h } from "../ui/dom";
import { button } from "../ui/fields";

/** Milliseconds of loading that are not worth a word: it would flash at every edit. */
const SHORT = 250;

export function jobs(app: App): HTMLElement {
  return h("div", {}, running(app), loading(app));
}

function loading(app: App): HTMLElement {
  const holder = h("div", { class: "part" });
  let timer = 0;
  const show = () => {
    const text = app.session.store.now.loading;
    fill(
      holder,
      text &&
        h(
          "div",
          { class: "job", "data-testid": "loading" },
          h("span", { class: "spinner" }),
          h("span", {}, `${text}…`),
        ),
    );
  };
  app.session.store.on(
    (look) => [look.loading],
    (look) => {
      clearTimeout(timer);
      if (look.loading && !holder.firstChild) timer = window.setTimeout(show, SHORT);
      else show();
    },
  );
  return holder;
}

function running(app: App): HTMLElement {
  return part(
    app,
    "jobs",
    (look) => [look.jobs],
    (look) =>
      look.jobs.map((job) => {
        const percent = Math.round(Math.min(1, Math.max(0, job.done ?? 0)) * 100);
        const done = h("div", { class: "fill" });
        done.style.width = `${percent}%`;
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
            done,
          ),
          button({
            label: "Cancel",
            icon: "close",
            id: `cancel-${job.kind}`,
            iconOnly: true,
            kind: "plain",
            act: () => void app.session.ask({ do: "cancel", job: job.id }),
          }),
        );
      }),
  );
}
