// Builds and packs every package in a copy of the repository, so that the working tree, its dist/ included, is left alone.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";

export interface Packed {
  name: string;
  tarball: string;
  /** Paths inside the package. */
  files: string[];
}

/** The environment without what `npm run` adds to it: npm inside npm would take it for settings. */
export function environmentWithoutNpm(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}

const BUILT_FROM = ["package.json", "package-lock.json", "tsconfig.base.json", "packages", "scripts"];

/** Copies the sources and settings of a build. Dependencies are linked; the packages find each other inside the copy. */
export function copyRepository(repository: string, target: string): string {
  const leftOut = new Set(["node_modules", "dist"]);
  mkdirSync(target, { recursive: true });
  for (const entry of BUILT_FROM) {
    cpSync(join(repository, entry), join(target, entry), {
      recursive: true,
      filter: (path) => !leftOut.has(basename(path)),
    });
  }
  linkModules(join(repository, "node_modules"), join(target, "node_modules"));
  for (const name of readdirSync(join(repository, "packages"))) {
    const own = join(repository, "packages", name, "node_modules");
    if (existsSync(own)) symlinkSync(own, join(target, "packages", name, "node_modules"));
  }
  return target;
}

/** Links every installed package, but copies the links of workspaces, which are relative and so lead into the copy. */
function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) {
    if (name === "@nearkin" || name === "nearkin")
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, name), join(to, name));
  }
}

/** Runs the build of a copy, kernels first. */
export async function build(copy: string): Promise<void> {
  const run = promisify(execFile);
  for (const script of ["packages/core/scripts/build-kernels.mjs", "scripts/build.mjs"])
    if (existsSync(join(copy, script))) await run(process.execPath, [script], { cwd: copy });
}

/** Packs all packages of a built copy into a folder. */
export async function pack(copy: string, folder: string): Promise<Packed[]> {
  mkdirSync(folder, { recursive: true });
  const args = ["pack", "--workspaces", "--json", "--pack-destination", folder];
  const { stdout } = await promisify(execFile)("npm", args, {
    cwd: copy,
    env: environmentWithoutNpm(),
    maxBuffer: 64 * 1024 * 1024,
  });
  // `npm pack --json` prints an array up to npm 11 and an object by package name from npm 12 on.
  const rows: { name: string; filename: string; files: { path: string }[] }[] = Object.values(JSON.parse(stdout));
  return rows.map(({ name, filename, files }) => ({
    name,
    tarball: join(folder, filename),
    files: files.map(({ path }) => path),
  }));
}
