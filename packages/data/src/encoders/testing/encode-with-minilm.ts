// Prints the SHA-256 of some vectors:  encode-with-minilm.ts COUNT
// With "fetch" in place of a count it tries the network, to show that being watched has an effect.
import { createHash } from "node:crypto";
import { openMiniLm } from "../minilm.ts";
import { plots } from "./plots.ts";

const [what] = process.argv.slice(2);
if (what === "fetch") {
  try {
    await fetch("http://127.0.0.1:9/");
  } catch {} // the log has it
} else {
  const encoder = await openMiniLm({ threads: 2 });
  const vectors = await encoder.encode(plots(Number(what)));
  process.stdout.write(createHash("sha256").update(new Uint8Array(vectors.buffer)).digest("hex"));
  // Not closed: idle threads must not keep the process.
}
