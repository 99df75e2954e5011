/** Images of a mesh's materials, fetched and made ready for the GPU. */
import { LinearMipmapLinearFilter, RepeatWrapping, Texture } from "three";
import { type AppearanceData, Changed, loadImage } from "../net/data";
import { toast } from "../ui/toast";

/** Pixels along the longer side that a texture may have; fewer where there are many. */
const MOST_SIDE = 2048;
const MOST_SIDE_OF_MANY = 1024;
const MANY = 8;

export type Textures = Map<number, Texture>;

/** The images that materials name. Those that cannot be shown are told and left out. */
export async function loadTextures(open: number, { materials }: AppearanceData): Promise<Textures> {
  const wanted = new Set(materials.map(({ image }) => image).filter((image) => image !== null));
  const most = wanted.size > MANY ? MOST_SIDE_OF_MANY : MOST_SIDE;
  const textures: Textures = new Map();
  // One after the other: decoded images are large.
  for (const image of wanted) {
    try {
      textures.set(image, textureOf(await decoded(await loadImage(open, image), most)));
    } catch (error) {
      if (error instanceof Changed) break;
      const why = error instanceof Error ? error.message : String(error);
      toast(`A texture is not drawn: ${why}`, "note");
    }
  }
  return textures;
}

/** An image no larger than wanted, its colours as they are in the file. */
async function decoded(file: Blob, most: number): Promise<ImageBitmap> {
  const plain = { premultiplyAlpha: "none", colorSpaceConversion: "none" } as const;
  const whole = await createImageBitmap(file, plain);
  const scale = most / Math.max(whole.width, whole.height);
  if (scale >= 1) return whole;
  const resizeWidth = Math.max(1, Math.round(whole.width * scale));
  const smaller = await createImageBitmap(whole, { ...plain, resizeWidth, resizeQuality: "medium" });
  whole.close();
  return smaller;
}

function textureOf(image: ImageBitmap): Texture {
  const texture = new Texture(image);
  texture.flipY = false;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}
