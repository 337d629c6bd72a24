// The contract of every engine, on this one. All that is peculiar to OpenBLAS is in accelerator.test.ts.
import { createEngine } from "@nearkin/core";
import { describeEngine } from "@nearkin/core/testing";
import { describe } from "vitest";
import { openBlas } from "./index.ts";
import { openBlasAvailable } from "./testing/available.ts";

describe.skipIf(!(await openBlasAvailable()))("OpenBLAS as an engine", () => {
  const open = (workers: number, shared: boolean) => () =>
    createEngine({ engine: "native", native: openBlas, workers, shared });
  describeEngine("native, 1 worker", open(1, true));
  describeEngine("native, 2 workers", open(2, true));
  describeEngine("native, memory of its own", open(1, false));
});
