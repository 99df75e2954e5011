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
  IntType,
  Mesh,
  ShaderMaterial,
  type Texture,
  Vector3,
  type WebGLRenderer,
} from "three";
import type { Palette, Rig } from "../model/rig";
import type { AppearanceData, MeshData } from "../net/data";
import type { Textures } from "./appearance";
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
/** Pushed back a little, so that lines on the surface are in front of it. */
const BACK = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };

export class Surface {
  readonly group = new Group();
  private readonly geometry = new BufferGeometry();
  private readonly uniforms: Record<string, IUniform>;
  private readonly depth: Mesh;
  private readonly shaded: Mesh;
  /** One for each material of the mesh. */
  private shadedMaterials: ShaderMaterial[] = [];
  private readonly lines: Mesh;
  private corners = new Uint32Array();
  private normals = new Float32Array();
  private appearance: AppearanceData | null = null;
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
      painted: { value: false },
      heat: { value: heat },
    };
    for (const [name, value] of Object.entries({ ...numbers, ...textures })) this.uniforms[name] = { value };
    this.shaded = this.mesh(FRAGMENT, BACK);
    this.setShaded([this.shadedMaterial(null, 0)]);
    this.lines = this.mesh(LINE_FRAGMENT, { wireframe: true, transparent: true, depthWrite: false });
    this.depth = this.mesh(LINE_FRAGMENT, { colorWrite: false, transparent: true, ...BACK });
    this.depth.renderOrder = 1;
    this.shaded.renderOrder = 2;
    this.lines.renderOrder = 3;
    this.wireframe = false;
    this.xray = false;
    this.group.visible = false;
  }

  private mesh(fragmentShader: string, options: Record<string, unknown>): Mesh {
    const mesh = new Mesh(this.geometry, this.material(fragmentShader, {}, options));
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }

  private material(
    fragmentShader: string,
    own: Record<string, IUniform>,
    options: Record<string, unknown>,
  ): ShaderMaterial {
    return new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader,
      uniforms: { ...this.uniforms, ...own },
      glslVersion: GLSL3,
      side: DoubleSide,
      ...options,
    });
  }

  /** A new mesh: which vertices make its triangles, and how they look. */
  setMesh({ rest, corners, vertices, appearance }: MeshData): void {
    this.geometry.dispose();
    this.corners = new Uint32Array(corners);
    this.normals = new Float32Array(rest.length);
    this.appearance = appearance;
    this.rig = null;
    this.uniforms.skinned.value = false;
    this.setNumbers({ influenceCount: 0 });
    const drawn = vertices + (appearance?.doubled.length ?? 0);
    for (const [name, size] of Object.entries({
      position: 3,
      normal: 3,
      compared: 3,
      tint: 4,
      uv0: 2,
      mark: 1,
    })) {
      this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(drawn * size), size));
    }
    const sources = new BufferAttribute(
      Int32Array.from({ length: drawn }, (_, i) => this.sourceOf(i, vertices)),
      1,
    );
    sources.gpuType = IntType;
    this.geometry.setAttribute("source", sources);
    this.geometry.clearGroups();
    this.setShaded([this.shadedMaterial(null, 0)]);
    if (appearance) this.setAppearance(appearance);
    else this.geometry.setIndex(new BufferAttribute(this.corners, 1));
    this.setPositions(rest);
  }

  private sourceOf(drawn: number, vertices: number): number {
    return drawn < vertices ? drawn : this.appearance!.doubled[drawn - vertices];
  }

  /** Triangles sorted by material, in one run each; colours on their vertices. */
  private setAppearance({ corners, uvs, triangleMaterials, materials }: AppearanceData): void {
    const index = new Uint32Array(corners.length);
    const tint = this.geometry.getAttribute("tint") as BufferAttribute;
    const counts = new Uint32Array(materials.length);
    triangleMaterials.forEach((material) => (counts[material] += 3));
    let start = 0;
    const ends = counts.map((count, material) => {
      if (count > 0) this.geometry.addGroup(start, count, material);
      start += count;
      return start - count;
    });
    triangleMaterials.forEach((material, triangle) => {
      for (const vertex of corners.subarray(triangle * 3, triangle * 3 + 3)) {
        tint.array.set(materials[material].colour, vertex * 4);
        index[ends[material]++] = vertex;
      }
    });
    this.geometry.setIndex(new BufferAttribute(index, 1));
    (this.geometry.getAttribute("uv0") as BufferAttribute).array.set(uvs);
    this.setTextures(new Map());
  }

  /** Images for the materials, as they come. */
  setTextures(textures: Textures): void {
    const image = (number: number | null) => (number === null ? null : (textures.get(number) ?? null));
    const materials = this.appearance?.materials ?? [];
    if (materials.length > 0)
      this.setShaded(materials.map((m) => this.shadedMaterial(image(m.image), m.cutoff)));
  }

  private shadedMaterial(image: Texture | null, cutoff: number): ShaderMaterial {
    const own = { image: { value: image }, hasImage: { value: image !== null }, cutoff: { value: cutoff } };
    return this.material(FRAGMENT, own, { ...BACK, transparent: this.uniforms.xray.value as boolean });
  }

  private setShaded(materials: ShaderMaterial[]): void {
    this.shadedMaterials.forEach((old) => old.dispose());
    this.shadedMaterials = materials;
    this.shaded.material = this.geometry.groups.length > 0 ? materials : materials[0];
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

  /** Whether colours and images of materials are drawn where nothing else is. */
  set painted(on: boolean) {
    this.uniforms.painted.value = on && this.appearance !== null;
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
    for (const material of this.shadedMaterials) {
      if (material.transparent === on) continue;
      material.transparent = on;
      material.needsUpdate = true;
    }
  }

  /** Where the GPU puts the vertices. */
  probe(renderer: WebGLRenderer): Float32Array {
    return probe(renderer, this.geometry, this.uniforms, this.normals.length / 3);
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
    normalsOf(positions, this.corners, this.normals);
    this.attribute("normal", this.normals);
  }

  /** Values of the mesh's vertices; doubled ones get those of their own. */
  private attribute(name: string, values: ArrayLike<number>): void {
    const attribute = this.geometry.getAttribute(name) as BufferAttribute | undefined;
    const doubled = this.appearance?.doubled ?? [];
    if (!attribute) return;
    const { array, itemSize } = attribute;
    const vertices = values.length / itemSize;
    if (vertices + doubled.length !== attribute.count) return;
    (array as Float32Array).set(values);
    for (let i = 0; i < doubled.length; i++) {
      const from = doubled[i] * itemSize;
      for (let k = 0; k < itemSize; k++) array[(vertices + i) * itemSize + k] = values[from + k];
    }
    attribute.needsUpdate = true;
  }
}
