/** Short sentences that come and go: what failed, what was saved. Escape closes all. */
import { h } from "./dom";
import { icon } from "./icons";

/** Milliseconds that they stay: errors long enough to be read twice. */
const STAY = { error: 20_000, note: 6000, good: 6000 };
const MOST = 4;
const tray = h("div", { class: "toasts", role: "status", "aria-live": "polite", "data-testid": "toasts" });

export const toastTray = (): HTMLElement => tray;

/** Closes all, or those about one thing, which has come right since. */
export const closeToasts = (about?: string): void =>
  [...tray.children]
    .filter((box) => about === undefined || box.getAttribute("data-about") === about)
    .forEach((box) => box.remove());

export function toast(sentence: string, kind: keyof typeof STAY = "note", about = ""): void {
  if ([...tray.children].some((old) => old.getAttribute("data-text") === sentence)) return;
  const close = h(
    "button",
    { class: "plain", "aria-label": "Close this message", onclick: () => box.remove() },
    icon("close"),
  );
  const box = h(
    "div",
    { class: `toast ${kind}`, "data-testid": `toast-${kind}`, "data-text": sentence, "data-about": about },
    h("span", {}, sentence),
    close,
  );
  tray.append(box);
  while (tray.children.length > MOST) tray.firstElementChild?.remove();
  setTimeout(() => box.remove(), STAY[kind]);
}
