// The files of a model folder. model.json describes and hashes the others, so it is written last and read first.
//
//   model.json                settings, figures, the schema of the channels, sizes and sha256 of all files
//   weights.safetensors       parameters by name, what was measured (statistics.*), in the precision of training
//   items.safetensors         lifted rows, marks of stand-ins, rating counts; the posterior (posterior.*)
//   transforms.safetensors    arrays of the channels' transforms; their settings are in model.json
//   catalogue.json            ids, titles and fields, column by column

export const FORMAT = "nearkin-model";
/** The newest version that this program reads. It writes 2 for a model with a channel of who met an item, else 1. */
export const VERSION = 2;

export const MANIFEST = "model.json";
export const WEIGHTS = "weights.safetensors";
export const ITEMS = "items.safetensors";
export const TRANSFORMS = "transforms.safetensors";
export const CATALOGUE = "catalogue.json";

/** Every file but model.json. */
export const HASHED = [WEIGHTS, ITEMS, TRANSFORMS, CATALOGUE] as const;

/** Names of all files of a model folder, model.json last: the order to write them in. */
export const modelFiles: readonly string[] = [...HASHED, MANIFEST];
