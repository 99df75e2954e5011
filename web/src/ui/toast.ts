/** Short sentences that come and go: what failed, what was saved. Errors stay until they are closed. */
import { h } from "./dom";
import { icon } from "./icons";

const STAY = 6000;
const MOST = 4;
const tray = h("div", { class: "toasts", role: "status", "aria-live": "polite", "data-testid": "toasts" });

export const toastTray = (): HTMLElement => tray;

export function toast(sentence: string, kind: "error" | "note" | "good" = "note"): void {
  if ([...tray.children].some((old) => old.getAttribute("data-text") === sentence)) return;
  const close = h(
    "button",
    { class: "plain", "aria-label": "Close this message", onclick: () => box.remove() },
    icon("close"),
  );
  const box = h(
    "div",
    { class: `toast ${kind}`, "data-testid": `toast-${kind}`, "data-text": sentence },
    h("span", {}, sentence),
    close,
  );
  tray.append(box);
  while (tray.children.length > MOST) tray.firstElementChild?.remove();
  if (kind !== "error") setTimeout(() => box.remove(), STAY);
}
