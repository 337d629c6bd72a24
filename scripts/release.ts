// npm run release: versions, builds, packs and checks all packages. Nothing leaves the machine: it prints how to publish.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findProblems } from "./release/check.ts";
import { build, copyRepository, type Packed, pack } from "./release/pack.ts";
import { nextVersion, releaseChangelog } from "./release/version.ts";
import { readJson, readPackages, writeVersion } from "./release/workspace.ts";

const USAGE = `npm run release -- [major | minor | patch | x.y.z] [options]

Gives all packages one version (default: patch), moves [Unreleased] of CHANGELOG.md to it, builds and packs the packages in a copy of the
repository, and checks the tarballs. Then it writes the versions and the changelog here, and prints how to commit and publish.
The tree must be clean. It changes nothing if a check fails, and it never commits, tags or publishes.

Options:
  --dry-run         check everything, say what would be done, change nothing
  --out <folder>    where the tarballs go (default: .cache/release/<version>)
  --help            this text
`;

export interface ReleaseOptions {
  root: string;
  /** `major`, `minor`, `patch` or x.y.z. */
  wanted: string;
  dryRun: boolean;
  out: string | undefined;
  /** Day of the release, as 2031-12-24. */
  date: string;
  say: (line: string) => void;
}

/** Makes a release, or throws an error whose message says what to do. */
export async function release({ root, wanted, dryRun, out, date, say }: ReleaseOptions): Promise<void> {
  const version = nextVersion(readJson(join(root, "package.json")).version, wanted);
  const changelog = releaseChangelog(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version, date);
  expectCleanTree(root);
  const packages = readPackages(root);
  const names = packages.map(({ manifest }) => manifest.name);
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "nearkin-release-")));
  try {
    say(`${version}: ${names.length} packages, in the order in which they are published: ${names.join(", ")}`);
    say("building and packing them in a copy of the repository …");
    const copy = copyRepository(root, join(scratch, "copy"));
    const versioned = writeVersion(copy, version);
    await build(copy);
    const tarballs = await pack(copy, join(scratch, "tarballs"));
    const packed = names.flatMap((name) => tarballs.find((each) => each.name === name) ?? []);
    const license = readFileSync(join(root, "LICENSE"), "utf8");
    const problems = await findProblems(packed, { version, names, license, folders: [root, scratch] });
    if (problems.length > 0) throw new Error(`the packages are not fit to be published:\n  ${problems.join("\n  ")}`);
    for (const { name, files, tarball } of packed)
      say(`  ${name} ${version}: ${files.length} files, ${(statSync(tarball).size / 1000).toFixed(0)} kB`);
    const folder = resolve(root, out ?? join(".cache", "release", version));
    const changed = [...versioned, "CHANGELOG.md"];
    if (!dryRun) {
      for (const file of versioned) cpSync(join(copy, file), join(root, file));
      writeFileSync(join(root, "CHANGELOG.md"), changelog.text);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      for (const { tarball } of packed) cpSync(tarball, join(folder, basename(tarball)));
    }
    say(`${dryRun ? "would change" : "changed"}: ${changed.join(", ")}`);
    say(`${dryRun ? "would move" : "moved"} in CHANGELOG.md to [${version}] - ${date}:\n${indent(changelog.entries)}`);
    say(`${dryRun ? "would write" : "wrote"} ${packed.length} tarballs to ${relative(root, folder)}`);
    say(
      `${dryRun ? "would leave to you" : "now, after a look at git diff"}:\n${indent(commands(packed, version, relative(root, folder)))}`,
    );
    if (dryRun) say("nothing was changed");
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function expectCleanTree(root: string): void {
  const status = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  if (status !== "") throw new Error(`the tree has changes that are not committed:\n${indent(status.trimEnd())}`);
}

function commands(packed: readonly Packed[], version: string, folder: string): string {
  const publish = packed.map(({ tarball }) => `npm publish ${join(folder, basename(tarball))} --access public`);
  return [`git commit -am "release: ${version}"`, `git tag v${version}`, ...publish].join("\n");
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");

const today = (): string => new Date().toISOString().slice(0, 10);

/** Runs a command line; returns the exit code. */
export async function main(args: readonly string[], root: string): Promise<number> {
  let given: ReturnType<typeof parse>;
  try {
    given = parse(args);
    if (given.positionals.length > 1) throw new Error(`expected one version, got ${given.positionals.join(" ")}`);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = given;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const say = (line: string) => console.log(line);
  const [wanted = "patch"] = positionals;
  try {
    await release({ root, wanted, dryRun: values["dry-run"], out: values.out, date: today(), say });
    return 0;
  } catch (error) {
    console.error(`release: ${(error as Error).message}`);
    return 1;
  }
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean", default: false },
      out: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2), fileURLToPath(new URL("..", import.meta.url)));
}
