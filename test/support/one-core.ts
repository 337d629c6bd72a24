// Setup file of every project in Node: code that asks how many cores there are is told one. Vitest runs a file for each core, and engines with a
// thread for each core in each of them take three times as long. Tests of threads name their number.
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";

os.availableParallelism = () => 1;
syncBuiltinESMExports();
