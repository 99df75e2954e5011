/**
 * Joints as balls and what hangs between them as slender double cones: skeletons, motions, middles of bones.
 */
import {
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  OctahedronGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";

const MOST = 4096;
const Y = new Vector3(0, 1, 0);

export class Figure {
  readonly group = new Group();
  private readonly balls: InstancedMesh;
  private readonly links: InstancedMesh;
  /** Where the joints are now, x y z. */
  places: Float32Array = new Float32Array();

  /** `onTop`: drawn over the surface wherever it is. */
  constructor(onTop: boolean) {
    const options = { depthTest: !onTop, depthWrite: !onTop, transparent: onTop };
    const solid = onTop ? new MeshBasicMaterial(options) : new MeshLambertMaterial(options);
    this.balls = new InstancedMesh(new SphereGeometry(1, 16, 12), solid, MOST);
    this.links = new InstancedMesh(
      new OctahedronGeometry(1),
      onTop ? solid : new MeshLambertMaterial(options),
      MOST,
    );
    for (const mesh of [this.balls, this.links]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      mesh.renderOrder = onTop ? 10 : 0;
      this.group.add(mesh);
    }
    this.group.visible = false;
  }

  /** Draws joints at `places`; `parents` null for single balls. */
  set(
    places: Float32Array,
    parents: readonly (number | null)[] | null,
    size: number,
    colour: (i: number) => readonly number[],
    chosen: number | null,
  ): void {
    this.places = places;
    const count = Math.min(MOST, places.length / 3);
    const matrix = new Matrix4();
    const tint = new Color();
    this.balls.count = count;
    for (let i = 0; i < count; i++) {
      const radius = i === chosen ? size * 1.7 : size;
      matrix
        .makeScale(radius, radius, radius)
        .setPosition(places[i * 3], places[i * 3 + 1], places[i * 3 + 2]);
      this.balls.setMatrixAt(i, matrix);
      this.balls.setColorAt(i, paint(tint, i === chosen ? [1, 1, 1] : colour(i)));
    }
    this.setLinks(count, parents, size, colour, tint);
    for (const mesh of [this.balls, this.links]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  private setLinks(
    count: number,
    parents: readonly (number | null)[] | null,
    size: number,
    colour: (i: number) => readonly number[],
    tint: Color,
  ): void {
    let links = 0;
    for (let i = 0; parents && i < count; i++) {
      const parent = parents[i];
      if (parent === null || parent === undefined || parent < 0) continue;
      this.links.setMatrixAt(links, between(this.place(parent), this.place(i), size * 0.8));
      this.links.setColorAt(links++, paint(tint, colour(i)));
    }
    this.links.count = links;
  }

  place(i: number): Vector3 {
    return new Vector3(this.places[i * 3], this.places[i * 3 + 1], this.places[i * 3 + 2]);
  }
}

const paint = (tint: Color, [r, g, b]: readonly number[]): Color => tint.setRGB(r, g, b, "srgb");

function between(a: Vector3, b: Vector3, width: number): Matrix4 {
  const along = b.clone().sub(a);
  const length = along.length();
  const turn =
    length > 0 ? new Quaternion().setFromUnitVectors(Y, along.divideScalar(length)) : new Quaternion();
  const thin = Math.min(width, length * 0.18);
  return new Matrix4().compose(
    a.clone().add(b).multiplyScalar(0.5),
    turn,
    new Vector3(thin, length / 2, thin),
  );
}
