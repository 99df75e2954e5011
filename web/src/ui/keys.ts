/** The keyboard. Keys that are typed into a field stay there. */
import type { App } from "../app";
import { closeToasts } from "./toast";
import { TOGGLES, VIEWS, available } from "./topbar";

export function listenToKeys(app: App): void {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && app.pointer.cancel()) return event.preventDefault();
    if (typing(event.target)) return;
    if (event.ctrlKey || event.metaKey ? history(app, event) : !event.altKey && plain(app, event))
      event.preventDefault();
  });
}

function typing(target: EventTarget | null): boolean {
  const input = target instanceof HTMLInputElement && !["range", "checkbox"].includes(target.type);
  return input || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** Whether Space is for the control that has the keyboard. */
function pressed(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches("button, summary, input, a") &&
    target.matches(":focus-visible")
  );
}

function history(app: App, event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  const redo = (key === "z" && event.shiftKey) || key === "y";
  if (key !== "z" && key !== "y") return false;
  if (app.session.store.now.server?.[redo ? "redo" : "undo"])
    void app.session.ask({ do: redo ? "redo" : "undo" });
  return true;
}

/** Whether the key meant something. */
function plain(app: App, event: KeyboardEvent): boolean {
  const { store } = app.session;
  const look = store.now;
  const many = event.shiftKey ? 10 : 1;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const view = VIEWS[Number(key) - 1];
  if (view && available(look, view[0])) return (store.set({ view: view[0] }), true);
  const toggle = TOGGLES.find(([, , , letter]) => letter === key);
  if (toggle) return (store.set({ [toggle[0]]: !look[toggle[0]] }), true);
  switch (key) {
    case " ":
      // Who reached a control by keyboard means it; who clicked it before means the timeline.
      if (pressed(event.target)) return false;
      if (event.target instanceof HTMLElement && event.target.matches("button, input")) event.target.blur();
      return (app.timeline.toggle(), true);
    case "ArrowLeft":
    case "ArrowRight":
      if (event.target instanceof HTMLInputElement) return false;
      return (app.timeline.go(look.frame + (key === "ArrowLeft" ? -many : many)), true);
    case "Home":
      return (app.timeline.go(0), true);
    case "End":
      return (app.timeline.go(Infinity), true);
    case "e":
      return (app.timeline.goWorst(), true);
    case "f":
      return (app.stage.frame(), true);
    case "[":
    case "]":
      return (
        store.set({
          brush: {
            ...look.brush,
            radius: Math.min(0.4, Math.max(0.01, look.brush.radius * (key === "[" ? 0.85 : 1 / 0.85))),
          },
        }),
        true
      );
    case "?":
      return (store.set({ help: !look.help }), true);
    case "Escape":
      closeToasts();
      return (store.set(look.help ? { help: false } : { bone: null, joint: null }), true);
    default:
      return false;
  }
}
