// Setup file of every project in Node: what a test writes to the process's output reaches the reporter with the name of the test, and the reporter
// fails the run. A test captures the output of the product, so that a run prints results alone.
for (const stream of [process.stdout, process.stderr]) {
  stream.write = ((text: string | Uint8Array) => {
    console.error(typeof text === "string" ? text : new TextDecoder().decode(text));
    return true;
  }) as typeof stream.write;
}
