// A server to be killed: the models in argv[2], the store at argv[3], its schema on PostgreSQL in argv[4], further options as JSON in argv[5].
// Prints its address.
import { createServer } from "../server.ts";
import { toyEncoder } from "./tiny-server.ts";

const [, , models, store, schema, options = "{}"] = process.argv;
const server = await createServer({
  models: [models],
  store,
  storeOptions: schema ? { schema, connections: 4 } : {},
  port: 0,
  log: "silent",
  threads: 1,
  spareItems: 5000,
  refreshDelay: 10,
  openEncoder: async () => toyEncoder(),
  ...JSON.parse(options),
});
process.stdout.write(`${await server.listen()}\n`);
