// A server whose answers take two seconds, for tests that send it signals. Prints its address, and when a request has arrived.
import { drain, onSignals } from "../drain.ts";
import { startTestServer } from "./app.ts";

const { app, lifecycle } = await startTestServer({
  door: "local",
  routes: (app) =>
    app.get("/slow", { config: { name: "slow", scope: "read", tokens: false } }, async () => {
      process.stdout.write("arrived\n");
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return {};
    }),
});
onSignals(() => drain(app, lifecycle, { graceMs: 0 }));
process.stdout.write(`${await app.listen({ port: 0, host: "127.0.0.1" })}\n`);
