// Looks into packed tarballs for what users would miss, and for what they should not get.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { Packed } from "./pack.ts";
import { type Exports, type Manifest, publishedDependencies, readJson } from "./workspace.ts";

/** Files that a package ships beside its build, by package. */
const EXTRAS: Record<string, RegExp> = {
  "@nearkin/data": /^(?:sql\/[a-z-]+\.sql|sample\/films\.jsonl)$/,
  nearkin: /^dist\/nearkin-personalize\.mjs$/,
  "@nearkin/web": /^dist\/(?:index\.html|sw\.js|assets\/[\w-]+\.(?:js|css|svg))$/,
};
const USUAL = /^(?:(?:dist|bin)\/[^/]+\.(?:js|d\.ts)|package\.json|README\.md|LICENSE)$/;
const TEST = /\.test\.|(?:^|\/)tests?\//;

/** The export condition of a clone, whose sources are not published. */
const SOURCE_CONDITION = "@nearkin/source";

export interface Release {
  version: string;
  /** Names of all packages that are published. */
  names: readonly string[];
  /** Text of the repository's LICENSE. */
  license: string;
  /** Folders of the machine that packed, of which no file may speak. */
  folders: readonly string[];
}

/** Everything wrong with the tarballs of a release, a sentence each. */
export async function findProblems(packed: readonly Packed[], release: Release): Promise<string[]> {
  const names = packed.map(({ name }) => name);
  const missing = release.names.filter((name) => !names.includes(name)).map((name) => `${name} was not packed`);
  const inside = await Promise.all(packed.map((each) => problemsOf(each, release)));
  return [...missing, ...inside.flat()];
}

async function problemsOf(packed: Packed, release: Release): Promise<string[]> {
  const scratch = mkdtempSync(join(tmpdir(), "nearkin-tarball-"));
  try {
    execFileSync("tar", ["-xzf", packed.tarball, "-C", scratch]);
    const folder = join(scratch, "package");
    const manifest: Manifest = readJson(join(folder, "package.json"));
    const problems = [
      ...listProblems(packed, manifest),
      ...dependencyProblems(manifest, release),
      ...textProblems(folder, packed.files, release),
      ...(await publintProblems(packed.tarball)),
    ];
    return problems.map((problem) => `${packed.name}: ${problem}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Problems that the list of files shows. */
export function listProblems({ name, files }: Omit<Packed, "tarball">, manifest: Manifest): string[] {
  const needed = new Set(["LICENSE", "README.md", "package.json", ...namedFiles(manifest)]);
  const missing = [...needed].filter((path) => !files.includes(path)).map((path) => `${path} is missing`);
  const typed = [...needed].filter((path) => /^dist\/.*\.js$/.test(path)).map((path) => path.replace(/\.js$/, ".d.ts"));
  const untyped = typed
    .filter((path) => !files.includes(path) && !needed.has(path))
    .map((path) => `${path} is missing`);
  const strangers = files
    .filter((path) => TEST.test(path) || !(USUAL.test(path) || EXTRAS[name]?.test(path)))
    .map((path) => `${path} should not be in the package`);
  return [...missing, ...untyped, ...strangers];
}

/** Every file that `exports` and `bin` name for users. */
function namedFiles({ exports = {}, bin = {} }: Manifest): string[] {
  const paths = (entry: Exports): string[] =>
    typeof entry === "string"
      ? [entry]
      : Object.entries(entry).flatMap(([condition, inner]) => (condition === SOURCE_CONDITION ? [] : paths(inner)));
  return [...paths(exports), ...Object.values(bin)].map((path) => path.replace(/^\.\//, ""));
}

/** Problems of versions: all packages have that of the release, and ask for exactly that of each other. */
export function dependencyProblems(
  manifest: Manifest,
  { version, names }: Pick<Release, "version" | "names">,
): string[] {
  const own = manifest.version === version ? [] : [`its version is ${manifest.version}, not ${version}`];
  const access =
    manifest.name.startsWith("@") && manifest.publishConfig?.access !== "public"
      ? ["publishConfig.access is not public: npm would refuse a scoped package"]
      : [];
  const others = publishedDependencies(manifest).flatMap(([name, range]) => {
    if (/^(?:file|link|workspace):/.test(range)) return [`${name} is asked for as ${range}, which users do not have`];
    if (names.includes(name)) return range === version ? [] : [`${name} is asked for as ${range}, not ${version}`];
    return /^@nearkin\/|^nearkin$/.test(name) ? [`${name} is asked for, but not published`] : [];
  });
  return [...own, ...access, ...others];
}

/** Another licence, or a text that names a folder of this machine. */
function textProblems(folder: string, files: readonly string[], { license, folders }: Release): string[] {
  const local = [...new Set([...folders, `${homedir()}/`])].filter((path) => path.length > 3);
  return files.flatMap((path) => {
    const text = readFileSync(join(folder, path), "utf8");
    const named = local.filter((place) => text.includes(place)).map((place) => `${path} names ${place}`);
    return path === "LICENSE" && text !== license ? ["LICENSE is not that of the repository", ...named] : named;
  });
}

async function publintProblems(tarball: string): Promise<string[]> {
  const { buffer } = Uint8Array.from(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}
