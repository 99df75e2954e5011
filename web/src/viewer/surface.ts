/**
 * One surface on the screen: a rig that the GPU skins, or positions as they come. The same geometry is drawn up to three
 * times: its depth alone (for x-ray), shaded, and as lines.
 */
import {
  BufferAttribute,
  BufferGeometry,
  type DataTexture,
  DoubleSide,
  GLSL3,
  Group,
  type IUniform,
  Mesh,
  ShaderMaterial,
  Vector3,
  type WebGLRenderer,
} from "three";
import type { Palette, Rig } from "../model/rig";
import { HEAT, distinct } from "./colours";
import { normalsOf } from "./normals";
import { probe } from "./probe";
import { Colouring, FRAGMENT, LINE_FRAGMENT, VERTEX } from "./shader";
import {
  basisTexture,
  colourTexture,
  emptyTexture,
  influenceTexture,
  paletteTexture,
  writePalette,
} from "./textures";

/**
 * Vertices up to which the normals of a posed rig are those of its triangles, found here at every drawing. Above, the bones turn
 * those of the rest pose, which is quick, and rough where several move a vertex.
 */
const CAREFUL = 150_000;
/** Colour of a mesh that has none. */
const PLAIN = [0.67, 0.68, 0.7];

export class Surface {
  readonly group = new Group();
  private readonly geometry = new BufferGeometry();
  private readonly uniforms: Record<string, IUniform>;
  private readonly depth: Mesh;
  private readonly shaded: Mesh;
  private readonly lines: Mesh;
  private corners = new Uint32Array();
  private rig: Rig | null = null;
  /** Whether the rig's rest pose is in the buffers, so that a frame only needs its palette. */
  private atRest = false;
  /** What the rig was posed by since it was drawn last. */
  private posedBy: Palette | null = null;
  private posed = new Float32Array();

  constructor() {
    const heat = HEAT.map(([r, g, b]) => new Vector3(r, g, b));
    const numbers = {
      influenceCount: 0,
      rank: 0,
      vertexCount: 0,
      boneCount: 0,
      colouring: 0,
      chosen: -1,
      heatTop: 1,
    };
    const textures = {
      palette: emptyTexture(),
      influences: emptyTexture(),
      basis: emptyTexture(),
      boneColours: emptyTexture(),
    };
    this.uniforms = {
      skinned: { value: false },
      corrected: { value: true },
      xray: { value: false },
      turnNormals: { value: false },
      heat: { value: heat },
    };
    for (const [name, value] of Object.entries({ ...numbers, ...textures })) this.uniforms[name] = { value };
    // Pushed back a little, so that lines on the surface are in front of it.
    const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    this.shaded = this.mesh(FRAGMENT, back);
    this.lines = this.mesh(LINE_FRAGMENT, { wireframe: true, transparent: true, depthWrite: false });
    this.depth = this.mesh(LINE_FRAGMENT, { colorWrite: false, transparent: true, ...back });
    this.depth.renderOrder = 1;
    this.shaded.renderOrder = 2;
    this.lines.renderOrder = 3;
    this.wireframe = false;
    this.xray = false;
    this.group.visible = false;
  }

  private mesh(fragmentShader: string, options: Record<string, unknown>): Mesh {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader,
      uniforms: this.uniforms,
      glslVersion: GLSL3,
      side: DoubleSide,
      ...options,
    });
    const mesh = new Mesh(this.geometry, material);
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }

  /** A new mesh: which vertices make its triangles. */
  setMesh(rest: Float32Array, corners: Uint32Array, colours: Float32Array | null): void {
    this.geometry.dispose();
    this.corners = new Uint32Array(corners);
    this.rig = null;
    this.uniforms.skinned.value = false;
    this.setNumbers({ influenceCount: 0 });
    this.geometry.setIndex(new BufferAttribute(this.corners, 1));
    for (const name of ["position", "normal", "compared", "tint"]) {
      this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(rest.length), 3));
    }
    this.attribute("tint", colours ?? rest.map((_, i) => PLAIN[i % 3]));
    this.geometry.setAttribute("mark", new BufferAttribute(new Float32Array(rest.length / 3), 1));
    this.setPositions(rest);
  }

  /** Shows a rig; `setPalette` poses it. */
  setRig(rig: Rig): void {
    if (this.rig !== rig) {
      const { influences, rank, vertices, bones } = rig.arrays;
      this.setTexture("influences", influenceTexture(rig));
      this.setTexture("basis", basisTexture(rig));
      this.setTexture("palette", paletteTexture(rig));
      this.setBoneColours(Array.from({ length: bones }, (_, bone) => distinct(bone)));
      this.setNumbers({ influenceCount: influences, rank, vertexCount: vertices, boneCount: bones });
      this.rig = rig;
      this.atRest = false;
    }
    if (!this.atRest) this.write(rig.arrays.rest);
    this.atRest = true;
    this.uniforms.skinned.value = true;
  }

  setPalette(palette: Palette): void {
    writePalette(this.uniforms.palette.value as DataTexture, palette);
    this.posedBy = palette;
  }

  /** Does what is needed only where the surface is drawn. */
  beforeDraw(): void {
    const { rig, posedBy } = this;
    this.posedBy = null;
    if (!rig || !posedBy || !this.uniforms.skinned.value) return;
    const careful = rig.arrays.vertices <= CAREFUL;
    this.uniforms.turnNormals.value = !careful;
    if (!careful) return;
    if (this.posed.length !== rig.arrays.rest.length) this.posed = new Float32Array(rig.arrays.rest.length);
    this.writeNormals(rig.skin(posedBy, this.uniforms.corrected.value as boolean, this.posed));
  }

  /** Shows positions as they are. */
  setPositions(positions: Float32Array): void {
    this.uniforms.skinned.value = false;
    this.atRest = false;
    this.write(positions);
  }

  /** What the heat map measures from. */
  setCompared(positions: Float32Array): void {
    this.attribute("compared", positions);
  }

  setMarks(marks: ArrayLike<number>): void {
    this.attribute("mark", marks);
  }

  setBoneColours(colours: readonly (readonly number[])[]): void {
    this.setTexture("boneColours", colourTexture(colours));
  }

  setColouring(kind: keyof typeof Colouring, chosen: number, heatTop: number): void {
    this.setNumbers({ colouring: Colouring[kind], chosen, heatTop: Math.max(heatTop, 1e-30) });
  }

  set corrected(on: boolean) {
    this.uniforms.corrected.value = on;
  }

  set wireframe(on: boolean) {
    this.lines.visible = on;
  }

  /** Lets what is inside be seen: only the nearest part of the surface is drawn, as a veil. */
  set xray(on: boolean) {
    this.uniforms.xray.value = on;
    this.depth.visible = on;
    const material = this.shaded.material as ShaderMaterial;
    if (material.transparent !== on) {
      material.transparent = on;
      material.needsUpdate = true;
    }
  }

  /** Where the GPU puts the vertices. */
  probe(renderer: WebGLRenderer): Float32Array {
    return probe(renderer, this.geometry, this.uniforms);
  }

  private setNumbers(values: Record<string, number>): void {
    for (const [name, value] of Object.entries(values)) this.uniforms[name].value = value;
  }

  private setTexture(name: string, made: DataTexture): void {
    (this.uniforms[name].value as DataTexture).dispose();
    this.uniforms[name].value = made;
  }

  private write(positions: Float32Array): void {
    this.attribute("position", positions);
    this.writeNormals(positions);
  }

  private writeNormals(positions: Float32Array): void {
    const normals = this.geometry.getAttribute("normal") as BufferAttribute;
    normalsOf(positions, this.corners, normals.array as Float32Array);
    normals.needsUpdate = true;
  }

  private attribute(name: string, values: ArrayLike<number>): void {
    const attribute = this.geometry.getAttribute(name) as BufferAttribute | undefined;
    if (!attribute || attribute.array.length !== values.length) return;
    (attribute.array as Float32Array).set(values);
    attribute.needsUpdate = true;
  }
}
