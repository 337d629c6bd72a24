// Required first in every thread: whatever would open a connection or look up a name throws instead, and leaves a line in the file
// that NEARKIN_NETWORK_LOG names. CommonJS, because `--import` does not reach threads that run a string.
const { appendFileSync } = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { isMainThread, workerData } = require("node:worker_threads");

const note = (line) => appendFileSync(process.env.NEARKIN_NETWORK_LOG, `${line}\n`);

function forbid(object, name, label, permit = () => false) {
  const original = object[name];
  object[name] = function (...args) {
    if (permit(args[0])) return original.apply(this, args);
    note(`attempt ${label}`);
    throw new Error(`network: ${label}`);
  };
}

/** A pipe of this machine, through which tsx speaks to itself; Node passes options on inside an array. */
function isPipe(target) {
  if (Array.isArray(target)) return isPipe(target[0]);
  return typeof target === "string" ? Number.isNaN(Number(target)) : typeof target?.path === "string";
}

const net = require("node:net");
forbid(net.Socket.prototype, "connect", "Socket.connect", isPipe);
forbid(net, "connect", "net.connect", isPipe);
forbid(net, "createConnection", "net.createConnection", isPipe);
forbid(require("node:tls"), "connect", "tls.connect");
for (const scheme of ["http", "https"]) {
  for (const name of ["request", "get"]) forbid(require(`node:${scheme}`), name, `${scheme}.${name}`);
}
forbid(require("node:http2"), "connect", "http2.connect");
forbid(require("node:dgram"), "createSocket", "dgram.createSocket");
const dns = require("node:dns");
for (const object of [dns, dns.promises]) {
  for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) forbid(object, name, `dns.${name}`);
}
forbid(globalThis, "fetch", "fetch");
if (globalThis.WebSocket) {
  globalThis.WebSocket = class {
    constructor() {
      note("attempt WebSocket");
      throw new Error("network: WebSocket");
    }
  };
}
syncBuiltinESMExports();
note(`watched ${isMainThread ? "main" : workerData?.files ? "minilm" : "other"} thread`);
