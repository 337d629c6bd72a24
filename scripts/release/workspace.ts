// The packages of the repository: their manifests, in the order in which they can be published.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Dependencies = Record<string, string>;

/** An entry of `exports`: a path, or more entries by condition. */
export type Exports = string | { [condition: string]: Exports };

export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Exports;
  bin?: Record<string, string>;
  publishConfig?: { access?: string };
  dependencies?: Dependencies;
  devDependencies?: Dependencies;
  peerDependencies?: Dependencies;
  optionalDependencies?: Dependencies;
}

export interface WorkspacePackage {
  /** Relative to the repository, such as `packages/core`. */
  folder: string;
  manifest: Manifest;
}

const PUBLISHED = ["dependencies", "peerDependencies", "optionalDependencies"] as const;
const ALL = [...PUBLISHED, "devDependencies"] as const;

export const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** All dependencies that users of a package install, with their ranges. */
export function publishedDependencies(manifest: Manifest): [name: string, range: string][] {
  return PUBLISHED.flatMap((field) => Object.entries(manifest[field] ?? {}));
}

/** Every package that is published, each after those it depends on. */
export function readPackages(root: string): WorkspacePackage[] {
  const found = readdirSync(join(root, "packages"))
    .sort()
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: readJson(join(root, folder, "package.json")) as Manifest }))
    .filter(({ manifest }) => !manifest.private);
  const ordered = new Set<WorkspacePackage>();
  const visit = (each: WorkspacePackage, path: readonly string[]): void => {
    if (ordered.has(each)) return;
    const { name } = each.manifest;
    if (path.includes(name))
      throw new Error(`packages depend on each other in a circle: ${[...path, name].join(" → ")}`);
    for (const [dependency] of publishedDependencies(each.manifest)) {
      const other = found.find(({ manifest }) => manifest.name === dependency);
      if (other) visit(other, [...path, name]);
    }
    ordered.add(each);
  };
  for (const each of found) visit(each, []);
  return [...ordered];
}

/** Sets the version of all packages, in their manifests, in what they ask of each other, and in the lock file. Returns the files it wrote. */
export function writeVersion(root: string, version: string): string[] {
  const packages = readPackages(root);
  const own = new Set(packages.map(({ manifest }) => manifest.name));
  const update = (manifest: Partial<Manifest>): void => {
    manifest.version = version;
    for (const field of ALL)
      for (const name of Object.keys(manifest[field] ?? {}))
        if (own.has(name)) (manifest[field] as Dependencies)[name] = version;
  };
  const written: string[] = [];
  const rewrite = (file: string, change: (json: ReturnType<typeof readJson>) => void): void => {
    const json = readJson(join(root, file));
    change(json);
    writeFileSync(join(root, file), `${JSON.stringify(json, null, 2)}\n`);
    written.push(file);
  };
  rewrite("package.json", update);
  for (const { folder } of packages) rewrite(`${folder}/package.json`, update);
  rewrite("package-lock.json", (lock) => {
    lock.version = version;
    for (const folder of ["", ...packages.map((each) => each.folder)]) update(lock.packages[folder]);
  });
  return written;
}
