/** Turning: rings around a place, and the turn that a hand gives them. Three's own gizmo, for either half. */
import { type Mesh, type MeshBasicMaterial, Object3D, type Quaternion, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Viewer } from "../viewer/viewer";

export interface Turning {
  begin(): void;
  move(turn: Quaternion): void;
  end(turn: Quaternion): void;
  /** Puts everything back as it was at the beginning. */
  cancel(): void;
}

/** Size of the rings, in three's measure. */
const SIZE = 0.9;

type PointerPlace = (event: PointerEvent) => { x: number; y: number; button: number };

export class TurnGizmo {
  private readonly proxy = new Object3D();
  private readonly controls: TransformControls;
  private turning: Turning | null = null;
  dragging = false;
  private cancelled = false;

  constructor(private readonly viewer: Viewer) {
    this.controls = new TransformControls(viewer.camera, viewer.canvas);
    this.controls.setMode("rotate");
    this.controls.setSpace("world");
    this.controls.setSize(SIZE);
    // The gizmo takes the whole canvas for the picture; with two halves the pointer is in one of them.
    (this.controls as unknown as { _getPointer: PointerPlace })._getPointer = (event) => {
      const place = viewer.pointer(event);
      return { x: place.x, y: place.y, button: event.button };
    };
    viewer.extras.add(this.proxy, this.controls.getHelper());
    this.controls.addEventListener("change", () => viewer.invalidate());
    this.controls.addEventListener("dragging-changed", (event) => this.drag(event.value === true));
    this.controls.addEventListener("objectChange", () => {
      if (!this.cancelled) this.turning?.move(this.proxy.quaternion);
    });
    this.soften();
    this.hide();
  }

  /** Three's pure colours are louder than anything else on the screen. */
  private soften(): void {
    const softer = new Map([
      [0xff0000, 0xe5645d],
      [0x00ff00, 0x7cc46b],
      [0x0000ff, 0x5b8fe8],
      [0xffff00, 0xf0a35e],
    ]);
    this.controls.getHelper().traverse((part) => {
      const material = (part as Mesh).material as MeshBasicMaterial | undefined;
      const colour = material && softer.get(material.color.getHex());
      if (colour) material.color.setHex(colour);
    });
  }

  /** Whether the pointer is on a ring, so that a click there is no pick. */
  get hovered(): boolean {
    return this.controls.object !== undefined && this.controls.axis !== null;
  }

  show(place: readonly number[], turning: Turning): void {
    this.turning = turning;
    if (this.dragging) return;
    this.proxy.position.set(place[0], place[1], place[2]);
    this.proxy.quaternion.identity();
    this.proxy.updateMatrixWorld();
    this.controls.attach(this.proxy);
    this.viewer.invalidate();
  }

  /** The outermost ring, which faces the camera: its middle and radius on the page. */
  ringOnPage(): { x: number; y: number; radius: number } {
    const middle = this.viewer.onPage(this.proxy.position);
    // As three sizes its gizmo: a quarter of the height of the picture at that distance, and the outer ring 0.75 of it.
    const away = this.proxy.position.distanceTo(this.viewer.camera.position);
    const size = away * Math.min(1.9 * Math.tan((Math.PI * this.viewer.camera.fov) / 360), 7) * (SIZE / 4);
    const right = new Vector3().setFromMatrixColumn(this.viewer.camera.matrixWorld, 0);
    const edge = this.viewer.onPage(right.multiplyScalar(0.75 * size).add(this.proxy.position));
    return { ...middle, radius: Math.hypot(edge.x - middle.x, edge.y - middle.y) };
  }

  hide(): void {
    this.controls.detach();
    this.turning = null;
    this.viewer.invalidate();
  }

  /** Lets go of the rings and undoes what they did; whether they were held. */
  cancel(): boolean {
    if (!this.dragging) return false;
    this.cancelled = true;
    this.controls.reset();
    this.controls.dragging = false;
    this.controls.axis = null;
    this.cancelled = false;
    // The button is still down: the camera would take the rest of the movement for its own.
    this.viewer.controls.enabled = false;
    addEventListener("pointerup", () => (this.viewer.controls.enabled = true), { once: true });
    return true;
  }

  private drag(on: boolean): void {
    this.dragging = on;
    this.viewer.controls.enabled = !on;
    if (on) this.turning?.begin();
    else if (this.cancelled) this.turning?.cancel();
    else this.turning?.end(this.proxy.quaternion.clone());
    if (!on) this.proxy.quaternion.identity();
  }
}
