// The program of the thread that a libsql database runs in, as text: plain CommonJS, so that it starts at once, without a file beside the built
// server and without a loader of TypeScript.
//
// It is posted { id, statements } and answers { id, rows } or { id, error }; null ends it. Once open it posts {}, or { error }.
//
// Reads that wait go first: whoever sent them has not been told of the writes that wait. Writes that wait share one transaction, and so one
// flush to disk; where one of them fails, each is run again on its own.
//
// A server holds a write lock on a second, tiny database beside the first. The system drops it with the process, however that ends, so there
// is no stale lock to clear; other processes may still read and write the first, a transaction at a time.

export const LIBSQL_THREAD = `
const { chmodSync, closeSync, openSync } = require("node:fs");
const { parentPort, receiveMessageOnPort, workerData } = require("node:worker_threads");

const MOST_TOGETHER = 64; // lists in one transaction: nobody waits long for the others
const MOST_PREPARED = 200; // statements
const BUSY = 5; // SQLite's result code
const TRUNCATE_LOG = "PRAGMA wal_checkpoint(TRUNCATE)";

let database;
let guard;
const prepared = new Map(); // least recently used first

function prepare(sql) {
  let statement = prepared.get(sql);
  if (statement) prepared.delete(sql);
  else {
    if (prepared.size === MOST_PREPARED) prepared.delete(prepared.keys().next().value);
    statement = database.prepare(sql.replaceAll("nearkin.", "").replace(/\\$(\\d+)/g, "?$1"));
  }
  prepared.set(sql, statement);
  return statement;
}

function run({ statements }) {
  return statements.map(({ sql, values }) => {
    const rows = sql === TRUNCATE_LOG ? truncateLog() : prepare(sql).all(values ?? []);
    for (const row of rows) {
      for (const name in row) if (row[name] instanceof ArrayBuffer) row[name] = new Uint8Array(row[name]);
    }
    return rows;
  });
}

/** Gives busy = 1 at once if another process reads the log: waiting for it here, nothing else would be done. */
function truncateLog() {
  database.exec("PRAGMA busy_timeout = 0");
  try {
    return prepare(TRUNCATE_LOG).all([]);
  } finally {
    database.exec("PRAGMA busy_timeout = " + workerData.busyTimeout);
  }
}

function isRead({ statements }) {
  return statements.length === 1 && /^\\s*(SELECT|PRAGMA)\\b/i.test(statements[0].sql);
}

function describe(error) {
  const { message = String(error), rawCode, owned, owner } = error;
  return { message, rawCode, owned, owner };
}

function fail(jobs, error) {
  for (const { id } of jobs) parentPort.postMessage({ id, error: describe(error) });
}

function alone(job) {
  try {
    parentPort.postMessage({ id: job.id, rows: run(job) });
  } catch (error) {
    fail([job], error);
  }
}

function together(jobs) {
  let running = false;
  try {
    database.exec("BEGIN IMMEDIATE");
    running = true;
    const rows = jobs.map(run);
    running = false;
    database.exec("COMMIT");
    jobs.forEach(({ id }, i) => parentPort.postMessage({ id, rows: rows[i] }));
  } catch (error) {
    try {
      if (database.inTransaction) database.exec("ROLLBACK"); // a full disk has rolled back already
    } catch (stuck) {
      fail(jobs, error);
      throw stuck; // ends the thread, and with its connection the transaction; another thread is started
    }
    if (running && jobs.length > 1) for (const job of jobs) together([job]);
    else fail(jobs, error);
  }
}

function close() {
  prepared.clear();
  try {
    database.prepare(TRUNCATE_LOG).all();
  } catch {} // the next one to open it will
  database.close();
  if (guard) {
    guard.exec("ROLLBACK");
    guard.close();
  }
  parentPort.close();
}

function work(first) {
  const jobs = [first];
  while (jobs.length < MOST_TOGETHER) {
    const next = receiveMessageOnPort(parentPort);
    if (!next) break;
    jobs.push(next.message);
  }
  const closing = jobs.includes(null);
  const lists = jobs.filter((job) => job !== null);
  for (const job of lists) if (isRead(job)) alone(job);
  const writes = lists.filter((job) => !isRead(job));
  if (writes.length === 1 && writes[0].statements.length === 1) alone(writes[0]);
  else if (writes.length > 0) together(writes);
  if (closing) close();
}

/** The owner's row is written first, and the lock then held; whoever comes between the two is found out by the second. */
function lock(Database, path) {
  const held = new Database(path);
  try {
    held.exec("PRAGMA busy_timeout = 500");
    held.exec("BEGIN IMMEDIATE");
    held.exec("CREATE TABLE IF NOT EXISTS owner (pid INTEGER)");
    held.exec("DELETE FROM owner");
    held.prepare("INSERT INTO owner VALUES (?)").run([process.pid]);
    held.exec("COMMIT");
    held.exec("BEGIN IMMEDIATE");
    return held;
  } catch (error) {
    if (held.inTransaction) held.exec("ROLLBACK");
    if (error.rawCode !== BUSY) throw error;
    let owner;
    try {
      owner = held.prepare("SELECT pid FROM owner").get([])?.pid;
    } catch {} // it is just being written
    held.close();
    throw Object.assign(new Error("a server has it"), { owned: true, owner });
  }
}

/** Makes the file where it is not there, for its owner alone: it holds the secret that signs tokens. Its journal is as it is. */
function makePrivate(path) {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch {} // it is there; or cannot be made, which opening it says better
}

function open(Database, { path, lockPath, busyTimeout }) {
  if (lockPath) {
    makePrivate(lockPath); // whoever can read it can hold a lock on it, and keep servers from starting
    try {
      chmodSync(lockPath, 0o600); // an earlier version made it readable by all
    } catch {} // it is somebody else's
    guard = lock(Database, lockPath);
  }
  if (path !== ":memory:") makePrivate(path);
  database = new Database(path);
  database.exec("PRAGMA busy_timeout = " + busyTimeout);
  database.prepare("PRAGMA journal_mode = WAL").all();
  database.exec("PRAGMA synchronous = FULL"); // what is acknowledged is on disk
  database.exec("PRAGMA foreign_keys = ON");
  database.exec("PRAGMA secure_delete = ON"); // a deleted user is not left in free pages
  database.exec("PRAGMA cache_size = -65536"); // KiB
  database.exec("PRAGMA wal_autocheckpoint = 4000"); // pages
}

import(workerData.library).then(({ default: Database }) => {
  open(Database, workerData);
  parentPort.on("message", work);
  parentPort.postMessage({});
}).catch((error) => {
  if (guard) guard.exec("ROLLBACK");
  parentPort.postMessage({ error: describe(error) });
  parentPort.close();
});
`;
