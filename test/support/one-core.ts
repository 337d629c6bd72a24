// Setup file of every project in Node: code that asks how many cores there are is told one. Vitest runs as many files side by
// side as there are cores, or more; if engines in each of them also start a thread for each core, they take three times as long. Tests of threads name
// their number.
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";

os.availableParallelism = () => 1;
syncBuiltinESMExports();
