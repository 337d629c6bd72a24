// What the rest of the world uses of this folder.
export { type Dataset, datasets, findDataset, type ManualDataset, type PublicDataset } from "./catalogue.ts";
export {
  type DownloadOptions,
  type DownloadProgress,
  type DownloadResult,
  downloadDataset,
  howToPrepare,
  shellWord,
} from "./download.ts";
export type { UnpackedFile } from "./unpack.ts";
