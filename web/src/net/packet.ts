/** Binary messages: a palette or positions of one frame of one version. Little endian, as every browser's machine is. */
const HEAD_BYTES = 16;

export interface Packet {
  kind: number;
  version: number;
  frame: number;
  count: number;
  values: Float32Array;
}

export function packetOf(data: ArrayBuffer): Packet {
  const [kind, version, frame, count] = new Uint32Array(data, 0, 4);
  return { kind, version, frame, count, values: new Float32Array(data, HEAD_BYTES) };
}
