/** Fetches the large arrays: mesh, rigs, positions, errors. Little endian, as every browser's machine is. */
import { Rig } from "../model/rig";
import { tokenHeader } from "./token";
import type { Listing } from "./types";

export interface MeshData {
  vertices: number;
  rest: Float32Array;
  corners: Uint32Array;
  /** Red, green, blue of every vertex, where materials differ. */
  colours: Float32Array | null;
}

export interface Errors {
  per_frame: number[];
  largest: number[];
}

export interface SkeletonData {
  joints: { name: string; parent: number | null; bone: number | null }[];
  /** Per frame, x y z of every joint. */
  places: number[][];
}

async function fetched(address: string): Promise<Response> {
  const answer = await fetch(address, { headers: tokenHeader() });
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

const bytesOf = async (address: string) => (await fetched(address)).arrayBuffer();

export async function loadMesh(): Promise<MeshData> {
  const data = await bytesOf("/data/mesh");
  const [vertices, triangles, hasUv, coloured] = new Uint32Array(data, 0, 4);
  const corners = new Uint32Array(data, 16 + vertices * 12, triangles * 3);
  const start = 16 + vertices * 12 + triangles * 12 + hasUv * triangles * 24;
  return {
    vertices,
    rest: new Float32Array(data, 16, vertices * 3),
    corners,
    colours: coloured ? vertexColours(corners, new Float32Array(data, start, triangles * 3), vertices) : null,
  };
}

/** Colours of triangles, linear, as colours of vertices, as they are shown: the mean of what is around. */
function vertexColours(corners: Uint32Array, colours: Float32Array, vertices: number): Float32Array {
  const sums = new Float32Array(vertices * 4);
  corners.forEach((vertex, corner) => {
    const triangle = Math.floor(corner / 3);
    for (let c = 0; c < 3; c++) sums[vertex * 4 + c] += colours[triangle * 3 + c];
    sums[vertex * 4 + 3]++;
  });
  const shown = (linear: number) =>
    linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Float32Array.from({ length: vertices * 3 }, (_, i) => {
    const at = Math.floor(i / 3) * 4;
    return shown(Math.min(1, sums[at + (i % 3)] / (sums[at + 3] || 1)));
  });
}

export async function loadOriginal(from: number, to: number): Promise<Float32Array> {
  return new Float32Array(await bytesOf(`/data/original?from=${from}&to=${to}`));
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

export async function loadErrors(key: VersionKey): Promise<Errors> {
  return (await (await fetched(`/data/errors?${query(key)}`)).json()) as Errors;
}

export async function loadSkeleton(key: VersionKey): Promise<SkeletonData> {
  return (await (await fetched(`/data/skeleton?${query(key)}`)).json()) as SkeletonData;
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
  return ((await answer.json()) as { path: string }).path;
}
