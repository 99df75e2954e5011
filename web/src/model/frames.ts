/**
 * Positions frame by frame, fetched in blocks and kept while there is room: how the original and results that
 * are no rig are played. The block after the one in use is fetched ahead.
 */
const BLOCK_BYTES = 4 << 20;
const KEPT_BYTES = 512 << 20;

export type Fetch = (from: number, to: number) => Promise<Float32Array>;

export class Frames {
  /** Frames in a block. */
  readonly span: number;
  private blocks = new Map<number, Float32Array>();
  private coming = new Map<number, Promise<Float32Array>>();

  constructor(
    private readonly vertices: number,
    readonly count: number,
    private readonly fetch: Fetch,
  ) {
    this.span = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, vertices * 12)));
  }

  /** The frame if it is here already; asks for it and for what comes next otherwise. */
  now(frame: number): Float32Array | null {
    const block = Math.floor(frame / this.span);
    const next = (block + 1) * this.span < this.count ? block + 1 : 0;
    const have = this.blocks.get(block);
    if (!have) {
      void this.load(block).catch(() => undefined);
      return null;
    }
    void this.load(next).catch(() => undefined);
    return this.cut(have, frame - block * this.span);
  }

  async get(frame: number): Promise<Float32Array> {
    const block = Math.floor(frame / this.span);
    return this.cut(await this.load(block), frame - block * this.span);
  }

  private cut(block: Float32Array, index: number): Float32Array {
    return block.subarray(index * this.vertices * 3, (index + 1) * this.vertices * 3);
  }

  private load(block: number): Promise<Float32Array> {
    const have = this.blocks.get(block);
    if (have) {
      this.blocks.delete(block);
      this.blocks.set(block, have);
      return Promise.resolve(have);
    }
    const coming = this.coming.get(block);
    if (coming) return coming;
    const from = block * this.span;
    const promise = this.fetch(from, Math.min(this.count, from + this.span)).then(
      (positions) => {
        this.coming.delete(block);
        this.blocks.set(block, positions);
        this.forget();
        return positions;
      },
      (error: unknown) => {
        this.coming.delete(block);
        throw error;
      },
    );
    this.coming.set(block, promise);
    return promise;
  }

  /** Drops the blocks that were used longest ago. */
  private forget(): void {
    const most = Math.max(2, Math.floor(KEPT_BYTES / (this.span * this.vertices * 12)));
    for (const block of this.blocks.keys()) {
      if (this.blocks.size <= most) return;
      this.blocks.delete(block);
    }
  }
}
