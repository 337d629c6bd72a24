// A server to be killed: the models in argv[2], the store at argv[3], its schema on PostgreSQL in argv[4]. Prints its address.
import { createServer } from "../server.ts";
import { toyEncoder } from "./tiny-server.ts";

const [, , models, store, schema] = process.argv;
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
});
process.stdout.write(`${await server.listen()}\n`);
