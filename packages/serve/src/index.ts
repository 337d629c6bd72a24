/** The server: similar items for each user, over HTTP. */
export { type ServeConfig, type ServeConfigInput, serveConfigSchema } from "./config.ts";
export { keepHeapSmall } from "./heap.ts";
export { onSignals } from "./http/drain.ts";
export { createServer, type NearkinServer, type ServeOptions } from "./server.ts";
