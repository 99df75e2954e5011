/** What files are by their names, as the server knows it. */
import type { FileKind, Tables } from "./types";

/** What files of a name are; none where they cannot be opened. */
export function kindOf(tables: Tables | null, name: string): FileKind | undefined {
  const ending = name.split(".").at(-1)!.toLowerCase();
  return tables?.files.find((kind) => kind.endings.includes(ending));
}
