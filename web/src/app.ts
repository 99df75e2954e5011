/** What panels work with. */
import type { Stage } from "./model/stage";
import type { Action } from "./net/types";
import type { Session } from "./session";
import type { Look } from "./store";
import type { Timeline } from "./timeline/timeline";
import type { BoneTool } from "./tools/bone";
import type { PointerTool } from "./tools/pointer";
import { h, redraw } from "./ui/dom";
import type { Viewer } from "./viewer/viewer";

export interface App {
  session: Session;
  viewer: Viewer;
  stage: Stage;
  timeline: Timeline;
  bone: BoneTool;
  pointer: PointerTool;
}

/** A part of the page that is drawn anew when what it shows changes, and keeps the keyboard where it was. */
export function part(
  app: App,
  name: string,
  select: (look: Look) => unknown[],
  render: (look: Look) => (HTMLElement | null | false)[],
): HTMLElement {
  const element = h("div", { class: "part", "data-testid": name });
  app.session.store.on(select, (look) => {
    redraw(element, ...render(look));
  });
  return element;
}

/** Asks the server and forgets the answer; what fails is told by a toast. */
export const asks = (app: App, action: Action) => (): void => void app.session.ask(action);
