/**
 * The picture: one camera, one canvas, one or two halves. Draws only when something changed. Knows surfaces and figures;
 * what they show is the stage's business.
 */
import {
  AmbientLight,
  DirectionalLight,
  GridHelper,
  Group,
  PerspectiveCamera,
  Plane,
  Ray,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { extentOf, floorOf } from "./extent";
import { Figure } from "./figure";
import { Surface } from "./surface";

const MOST_PIXELS_PER_POINT = 2;
const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
export type Side = "corner" | "front" | "side" | "top";

/** Where the eye is, y up: never quite above, where no side would be up. */
const SIDES: Record<Side, [number, number, number]> = {
  corner: [0.75, 0.38, 1],
  front: [0, 0, 1],
  side: [1, 0, 0],
  top: [0, 1, 0.001],
};

/** How much farther away the camera is when there are two halves. */
const HALF_FARTHER = 1.7;
/** How much room is left around a framed mesh. */
const MARGIN = 1.12;

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly result = new Surface();
  readonly original = new Surface();
  /** What belongs to the result and is not drawn with the original: figures, rings, brushes. */
  readonly extras = new Group();
  readonly skeleton = new Figure(false);
  readonly bones = new Figure(true);
  readonly motion = new Figure(false);
  /** Whether the original is drawn in the left half and the result in the right. */
  private split = false;
  private single: "result" | "original" | "none" = "none";
  private grid: GridHelper | null = null;
  private readonly renderer: WebGLRenderer;
  private asked = false;
  private readonly afterDraw: (() => void)[] = [];
  /** Where the mesh stands. */
  readonly center = new Vector3();
  private diagonal = 1;
  /** Draws nothing while set: measures everything but drawing, which without a GPU is slow. */
  held = false;
  /** Pictures drawn so far; tests wait for it to grow. */
  drawn = 0;

  constructor(private readonly holder: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.renderer.setClearColor(0, 0);
    this.renderer.autoClear = false;
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("aria-label", "The mesh: drag to orbit, right drag to pan, wheel to zoom");
    this.canvas.setAttribute("data-testid", "canvas");
    this.canvas.tabIndex = 0;
    holder.append(this.canvas);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.scene.add(new AmbientLight(0xffffff, 1.6), this.camera);
    const light = new DirectionalLight(0xffffff, 1.8);
    light.position.set(0.5, 0.8, 0.6);
    this.camera.add(light);
    this.scene.add(this.result.group, this.original.group);
    this.extras.add(this.skeleton.group, this.bones.group, this.motion.group);
    this.scene.add(this.extras);
    new ResizeObserver(() => this.resize()).observe(holder);
    this.resize();
  }

  /** Draws soon, once however often it is asked. */
  invalidate(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }

  onDraw(act: () => void): void {
    this.afterDraw.push(act);
  }

  setView(split: boolean, single: "result" | "original" | "none"): void {
    this.single = single;
    this.invalidate();
    // Every frame that is shown comes here, and another size makes the picture's memory anew.
    if (split === this.split) return;
    // A half is as wide as the whole was when it is looked at from farther away.
    const farther = split ? HALF_FARTHER : 1 / HALF_FARTHER;
    this.camera.position.sub(this.controls.target).multiplyScalar(farther).add(this.controls.target);
    this.split = split;
    this.controls.update();
    this.resize();
  }

  /** Lays ground and camera out for a mesh that stands here. */
  setExtent(points: Float32Array, diagonal: number, up: "y" | "z"): void {
    this.center.copy(extentOf(points, AXES).center);
    this.diagonal = diagonal || 1;
    this.camera.up.set(0, up === "y" ? 1 : 0, up === "z" ? 1 : 0);
    this.setGrid(up, floorOf(points, up));
    this.invalidate();
  }

  private setGrid(up: "y" | "z", floor: number): void {
    const shown = this.grid?.visible ?? true;
    if (this.grid) this.scene.remove(this.grid);
    const grid = new GridHelper(this.diagonal * 4, 40, 0x4a4e55, 0x34373c);
    if (up === "z") grid.rotateX(Math.PI / 2);
    grid.position.copy(this.center);
    grid.position[up] = floor;
    grid.visible = shown;
    this.grid = grid;
    this.scene.add(grid);
  }

  set gridShown(on: boolean) {
    if (this.grid) this.grid.visible = on;
    this.invalidate();
  }

  /** Puts points into the middle of the picture, as large as they fit: from a little above, or straight from a side. */
  frame(points: Float32Array, side: Side = "corner"): void {
    const away = this.toEye(side);
    const right = this.sideways(side);
    const seen = extentOf(points, [right, away.clone().cross(right), away]);
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const [wide, tall, deep] = seen.size;
    const distance = deep / 2 + Math.max(tall / 2 / half, wide / 2 / (half * this.camera.aspect));
    this.camera.position.copy(seen.center).addScaledVector(away, Math.max(distance * MARGIN, 1e-6));
    this.camera.near = this.diagonal * 0.005;
    this.camera.far = this.diagonal * 40;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(seen.center);
    this.controls.update();
    this.invalidate();
  }

  /** From the mesh to where the camera is put first. */
  private toEye(side: Side = "corner"): Vector3 {
    const [x, y, z] = SIDES[side];
    return (this.camera.up.z === 1 ? new Vector3(x, -z, y) : new Vector3(x, y, z)).normalize();
  }

  /** What is right on the screen when the mesh is framed. */
  sideways(side: Side = "corner"): Vector3 {
    return this.camera.up.clone().cross(this.toEye(side)).normalize();
  }

  /** The ray under a pointer, in the half that it is in. */
  ray(event: { clientX: number; clientY: number }): Ray {
    const caster = new Raycaster();
    caster.setFromCamera(this.pointer(event), this.camera);
    return caster.ray;
  }

  /** Place of a pointer in its half, -1 to 1. */
  pointer(event: { clientX: number; clientY: number }): Vector2 {
    const box = this.canvas.getBoundingClientRect();
    const width = this.split ? box.width / 2 : box.width;
    const x = (event.clientX - box.left) % width;
    return new Vector2((x / width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
  }

  /** Where a place of the scene is on the page; with two halves, in the right one. */
  onPage(place: Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const width = this.split ? box.width / 2 : box.width;
    const seen = place.clone().project(this.camera);
    return {
      x: box.right - width + ((seen.x + 1) / 2) * width,
      y: box.top + ((1 - seen.y) / 2) * box.height,
    };
  }

  /** Where a pointer is on the plane through `place` that faces the camera. */
  onPlane(event: { clientX: number; clientY: number }, place: Vector3): Vector3 | null {
    const facing = this.camera.getWorldDirection(new Vector3());
    return this.ray(event).intersectPlane(
      new Plane().setFromNormalAndCoplanarPoint(facing, place),
      new Vector3(),
    );
  }

  /** Where the GPU puts the result's vertices. */
  probe(): Float32Array {
    return this.result.probe(this.renderer);
  }

  private resize(): void {
    const width = Math.max(1, this.holder.clientWidth);
    const height = Math.max(1, this.holder.clientHeight);
    this.renderer.setPixelRatio(Math.min(MOST_PIXELS_PER_POINT, devicePixelRatio));
    this.renderer.setSize(width, height);
    this.camera.aspect = (this.split ? width / 2 : width) / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  private draw(): void {
    this.asked = false;
    if (this.held) return;
    this.result.beforeDraw();
    const size = this.renderer.getSize(new Vector2());
    this.renderer.setScissorTest(true);
    if (this.split) {
      this.part(0, size.x / 2, size.y, false, true);
      this.part(size.x / 2, size.x / 2, size.y, true, false);
    } else {
      this.part(0, size.x, size.y, this.single === "result", this.single === "original");
    }
    this.drawn++;
    for (const act of this.afterDraw) act();
  }

  /** The picture as it stands, as PNG. */
  picture(): Promise<Blob> {
    // What was drawn before is gone by now: nothing keeps it.
    this.draw();
    return new Promise((done, fail) =>
      this.canvas.toBlob(
        (blob) => (blob ? done(blob) : fail(new Error("The picture cannot be made."))),
        "image/png",
      ),
    );
  }

  /** Where the camera is, in degrees: around the upright axis, 0 looking from +z (from −y where z is up), and above the horizon. */
  side(): { azimuth: number; elevation: number } {
    const { x, y, z } = this.camera.position.clone().sub(this.controls.target).normalize();
    const [up, front] = this.camera.up.z === 1 ? [z, -y] : [y, z];
    const degrees = 180 / Math.PI;
    return { azimuth: Math.atan2(x, front) * degrees, elevation: Math.asin(up) * degrees };
  }

  private part(left: number, width: number, height: number, result: boolean, original: boolean): void {
    this.renderer.setViewport(left, 0, width, height);
    this.renderer.setScissor(left, 0, width, height);
    this.renderer.clear();
    this.result.group.visible = result;
    this.original.group.visible = original;
    this.extras.visible = result;
    this.renderer.render(this.scene, this.camera);
  }
}
