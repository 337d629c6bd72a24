// @ts-check
// Holds the direction of dependencies between packages ("rooms"):  node scripts/check-rooms.mjs [root]
// Every import in packages/*, tests included, and every package.json is read; docs/architecture.md says why.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/**
 * What each room may import. `data/encoders` allows that entry point alone.
 * @type {Record<string, readonly string[]>}
 */
export const allowed = {
  core: [],
  native: ["core"],
  data: ["core"],
  train: ["core", "data"],
  evaluate: ["core", "data", "train"],
  client: [],
  serve: ["core", "client", "data/encoders"],
  web: ["core", "client"],
  cli: ["core", "native", "data", "train", "evaluate", "client", "serve", "web"],
};

/** Rooms that run in browsers too, so their source (tests aside) imports nothing of Node's. */
const isomorphic = ["core", "client"];

const sourceFile = /\.(?:ts|mts|cts|tsx|js|mjs|cjs|jsx)$/;
const testFile = /\.test\.\w+$/;
const skippedFolders = new Set(["node_modules", "dist", "coverage"]);

/**
 * @typedef {object} Violation
 * @property {string} file relative to the root, with `/`
 * @property {number} line counted from 1
 * @property {string} imported what was imported, as written
 * @property {string} rule what it breaks
 */

/**
 * Every import that breaks the rules, in the order of the files.
 * @param {string} root the repository
 * @returns {Violation[]}
 */
export function findViolations(root) {
  const packages = join(root, "packages");
  const rooms = readdirSync(packages).filter((room) => existsSync(join(packages, room, "package.json")));
  return rooms.sort().flatMap((room) => {
    const folder = join(packages, room);
    if (!(room in allowed)) {
      const file = posix(relative(root, join(folder, "package.json")));
      const rule = "a package needs a row in the table of scripts/check-rooms.mjs";
      return [{ file, line: 1, imported: room, rule }];
    }
    return [...checkManifest(root, room), ...listFiles(folder).flatMap((file) => checkFile(root, room, file))];
  });
}

/**
 * @param {string} root
 * @param {string} room
 * @returns {Violation[]}
 */
function checkManifest(root, room) {
  const path = join(root, "packages", room, "package.json");
  const text = readFileSync(path, "utf8");
  const manifest = JSON.parse(text);
  const fields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  return fields.flatMap((field) =>
    Object.keys(manifest[field] ?? {}).flatMap((name) => {
      const target = roomOf(name);
      if (!target || mayDependOn(room, target.room)) return [];
      const line = lineAt(text, Math.max(0, text.indexOf(`"${name}"`, text.indexOf(`"${field}"`))));
      return [{ file: posix(relative(root, path)), line, imported: name, rule: ruleOf(room) }];
    }),
  );
}

/**
 * @param {string} root
 * @param {string} room
 * @param {string} path
 * @returns {Violation[]}
 */
function checkFile(root, room, path) {
  const text = readFileSync(path, "utf8");
  return ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName: imported, pos }) => {
    const rule = brokenRule(root, room, path, imported);
    return rule ? [{ file: posix(relative(root, path)), line: lineAt(text, pos), imported, rule }] : [];
  });
}

/**
 * @param {string} root
 * @param {string} room
 * @param {string} path the importing file
 * @param {string} imported the specifier
 * @returns {string | undefined}
 */
function brokenRule(root, room, path, imported) {
  const folder = join(root, "packages", room);
  if (imported.startsWith(".")) {
    const target = resolve(dirname(path), imported);
    if (target.startsWith(folder + sep)) return undefined;
    if (testFile.test(path) && target.startsWith(join(root, "reference", "golden") + sep)) return undefined;
    return "a relative import must stay inside its package; import the other package by name";
  }
  const inSource = path.startsWith(join(folder, "src") + sep) && !testFile.test(path);
  if (isomorphic.includes(room) && inSource && isBuiltin(imported)) {
    return `${room} runs in browsers too and may not import Node's modules`;
  }
  const target = roomOf(imported);
  if (!target || target.room === room) return undefined;
  return mayImport(room, target) ? undefined : ruleOf(room);
}

/**
 * The room a specifier leads to, with the entry point inside it; `undefined` for everything that is not ours.
 * @param {string} specifier
 * @returns {{ room: string, entry: string } | undefined}
 */
function roomOf(specifier) {
  const [, scoped, cli, entry = ""] = /^(?:@nearkin\/([^/]+)|(nearkin))(?:\/(.*))?$/.exec(specifier) ?? [];
  const room = scoped ?? (cli && "cli");
  return room ? { room, entry } : undefined;
}

/**
 * @param {string} room
 * @param {{ room: string, entry: string }} target
 */
function mayImport(room, { room: other, entry }) {
  return allowed[room].some((rule) => rule === other || rule === `${other}/${entry.split("/")[0]}`);
}

/**
 * Whether package.json may name the other room: yes if at least one of its entry points may be imported.
 * @param {string} room
 * @param {string} other
 */
function mayDependOn(room, other) {
  return allowed[room].some((rule) => rule.split("/")[0] === other);
}

/** @param {string} room */
function ruleOf(room) {
  return `${room} may import ${allowed[room].join(", ") || "no other package"}`;
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : listFiles(path);
      return sourceFile.test(entry.name) ? [path] : [];
    });
}

/**
 * @param {string} text
 * @param {number} position
 */
function lineAt(text, position) {
  return text.slice(0, position).split("\n").length;
}

/** @param {string} path */
function posix(path) {
  return path.split(sep).join("/");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
  const violations = findViolations(root);
  for (const { file, line, imported, rule } of violations) console.error(`${file}:${line}: "${imported}": ${rule}`);
  console.log(
    violations.length === 0 ? "rooms: every import points the right way" : `rooms: ${violations.length} broken`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
