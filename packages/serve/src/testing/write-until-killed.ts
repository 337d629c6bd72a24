// A process to be killed: writes batches of events and of items to the store at argv[2], four at a time, and names those that were
// acknowledged on standard output. argv[3] is the schema on PostgreSQL, argv[4] goes before the names.
import { openStore } from "../store/store.ts";
import { BATCH, batchEvents, batchItems } from "./batches.ts";

const [, , location, schema, prefix] = process.argv;
await using store = await openStore(location, { schema, connections: 4 });

async function writeBatches(writer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const name = `${prefix}.${writer}.${n}`;
    if (n % 2) await store.events.add(batchEvents(name, BATCH));
    else await store.items.put(batchItems(name, BATCH));
    process.stdout.write(`${n % 2 ? "events" : "items"} ${name}\n`);
  }
}

await Promise.all([0, 1, 2, 3].map(writeBatches));
