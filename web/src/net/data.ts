/** Fetches the large arrays: mesh, rigs, positions, errors. Little endian, as every browser's machine is. */
import { Rig } from "../model/rig";
import { tokenHeader } from "./token";
import type { BonesData, ErrorsData, Listing, SkeletonData, Uploaded } from "./types";

export interface MeshData {
  vertices: number;
  rest: Float32Array;
  corners: Uint32Array;
  /** How the surface looks; none where materials say nothing. */
  appearance: AppearanceData | null;
}

/** A mesh as it is drawn: vertices with several materials or UVs are doubled, after those of the mesh. */
export interface AppearanceData {
  corners: Uint32Array;
  /** The vertex of the mesh behind each that comes after those of the mesh. */
  doubled: Uint32Array;
  /** Origin at the upper left. */
  uvs: Float32Array;
  triangleMaterials: Uint32Array;
  materials: Material[];
}

export interface Material {
  /** Linear red, green, blue and opacity. */
  colour: number[];
  /** Opacity below which nothing is drawn. */
  cutoff: number;
  image: number | null;
}

/** What was asked for has changed meanwhile; the new state is on its way. */
export class Changed extends Error {}

async function fetched(address: string): Promise<Response> {
  const answer = await fetch(address, { headers: tokenHeader() });
  if (answer.status === 204) throw new Changed("It has changed meanwhile.");
  if (!answer.ok) throw new Error(await sentenceOf(answer));
  return answer;
}

/** What the server says about a refusal: JSON with an error, or plain text. */
async function sentenceOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => "");
  try {
    return String((JSON.parse(text) as { error: string }).error);
  } catch {
    return text.trim() || `The server refused (${answer.status}).`;
  }
}

/** Whether the server takes this page's token. */
export async function isKnown(): Promise<boolean> {
  return (await fetch("/files", { headers: tokenHeader() })).status !== 401;
}

const bytesOf = async (address: string) => (await fetched(address)).arrayBuffer();

/** Takes arrays from the front of what came. */
function reader(data: ArrayBuffer) {
  let at = 0;
  const next = <T>(type: new (data: ArrayBuffer, at: number, count: number) => T, count: number): T => {
    const view = new type(data, at, count);
    at += count * 4;
    return view;
  };
  return {
    whole: (count: number) => next(Uint32Array<ArrayBuffer>, count),
    floats: (count: number) => next(Float32Array<ArrayBuffer>, count),
  };
}

/** Numbers that say what a material is. */
const MATERIAL_SIZE = 6;

/** The mesh of what is open; `open` is the state's number of it. */
export async function loadMesh(open: number): Promise<MeshData> {
  const { whole, floats } = reader(await bytesOf(`/data/mesh?open=${open}`));
  const [vertices, triangles, materials, doubled] = whole(4);
  const mesh = { vertices, rest: floats(vertices * 3), corners: whole(triangles * 3) };
  if (materials === 0) return { ...mesh, appearance: null };
  const appearance = {
    corners: whole(triangles * 3),
    doubled: whole(doubled),
    uvs: floats((vertices + doubled) * 2),
    triangleMaterials: whole(triangles),
    materials: Array.from({ length: materials }, () => materialOf([...floats(MATERIAL_SIZE)])),
  };
  return { ...mesh, appearance };
}

function materialOf([r, g, b, a, cutoff, image]: number[]): Material {
  return { colour: [r, g, b, a], cutoff, image: image < 0 ? null : image };
}

export async function loadImage(open: number, image: number): Promise<Blob> {
  return (await fetched(`/data/image?open=${open}&image=${image}`)).blob();
}

export async function loadOriginal(open: number, from: number, to: number): Promise<Float32Array> {
  return new Float32Array(await bytesOf(`/data/original?open=${open}&from=${from}&to=${to}`));
}

export async function loadPositions(key: VersionKey, from: number, to: number): Promise<Float32Array> {
  return new Float32Array(await bytesOf(`/data/positions?${query(key)}&from=${from}&to=${to}`));
}

/** A version in one of its states. */
export interface VersionKey {
  id: number;
  key: string;
}

const query = ({ id, key }: VersionKey) => `version=${id}&key=${encodeURIComponent(key)}`;

export async function loadRig(key: VersionKey): Promise<Rig> {
  const data = await bytesOf(`/data/rig?${query(key)}`);
  const [vertices, bones, influences, rank, frames] = new Uint32Array(data, 0, 8);
  let at = 32;
  const floats = (count: number) => {
    const view = new Float32Array(data, at, count);
    at += count * 4;
    return view;
  };
  const rest = floats(vertices * 3);
  const indices = new Uint16Array(data, at, vertices * influences);
  at += Math.ceil((vertices * influences * 2) / 4) * 4;
  const weights = floats(vertices * influences);
  const basis = floats(rank * vertices * 3);
  const palettes = floats(frames * bones * 12);
  const coefficients = floats(frames * rank);
  return new Rig({
    vertices,
    bones,
    influences,
    rank,
    frames,
    rest,
    indices,
    weights,
    basis,
    palettes,
    coefficients,
  });
}

export async function loadErrors(key: VersionKey): Promise<ErrorsData> {
  return (await (await fetched(`/data/errors?${query(key)}`)).json()) as ErrorsData;
}

export async function loadSkeleton(key: VersionKey): Promise<SkeletonData> {
  return (await (await fetched(`/data/skeleton?${query(key)}`)).json()) as SkeletonData;
}

/** What the bones of a version are called, and what hangs on what. */
export async function loadBones(key: VersionKey): Promise<BonesData> {
  return (await (await fetched(`/data/bones?${query(key)}`)).json()) as BonesData;
}

/** Which joint's handle each vertex is of: 0 for none, or the joint's number and one. */
export async function loadHandles(): Promise<Uint16Array> {
  return new Uint16Array(await bytesOf("/data/handles"));
}

/** The joints of the opened motion. */
export async function loadMotion(): Promise<SkeletonData> {
  return (await (await fetched("/data/motion")).json()) as SkeletonData;
}

export async function listFiles(folder: string): Promise<Listing> {
  return (await (await fetched(`/files?folder=${encodeURIComponent(folder)}`)).json()) as Listing;
}

/** Sends a file of this computer to the session's temporary folder; gives the path it has there. */
export async function upload(file: File): Promise<string> {
  const answer = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    body: file,
    headers: tokenHeader(),
  });
  if (!answer.ok) throw new Error(`${file.name}: ${await sentenceOf(answer)}`);
  return ((await answer.json()) as Uploaded).path;
}
