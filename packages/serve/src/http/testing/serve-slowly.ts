// A server for tests that send it signals: its answers come when its input has ended. Prints its address, and when a request has arrived.
import { once } from "node:events";
import { drain, onSignals } from "../drain.ts";
import { startTestServer } from "./app.ts";

const { app, lifecycle } = await startTestServer({
  door: "local",
  routes: (app) =>
    app.get("/slow", { config: { name: "slow", scope: "read", tokens: false } }, async () => {
      process.stdout.write("arrived\n");
      process.stdin.resume();
      await once(process.stdin, "end");
      return {};
    }),
});
onSignals(() => drain(app, lifecycle, { graceMs: 0, finishMs: 3_600_000 }));
process.stdout.write(`${await app.listen({ port: 0, host: "127.0.0.1" })}\n`);
