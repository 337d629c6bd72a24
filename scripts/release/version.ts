// Version numbers, and the changelog that belongs to them.

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;
const STEPS: readonly string[] = ["major", "minor", "patch"];

/** Numbers of a version; `undefined` if the text is not x.y.z. */
function numbersOf(version: string): number[] | undefined {
  return VERSION.exec(version)?.slice(1).map(Number);
}

/** The version that `wanted` (`major`, `minor`, `patch` or x.y.z) leads to. */
export function nextVersion(current: string, wanted: string): string {
  const now = numbersOf(current);
  if (!now) throw new Error(`package.json: the version ${current} is not x.y.z`);
  const step = STEPS.indexOf(wanted);
  if (step >= 0) return now.map((n, i) => (i < step ? n : i === step ? n + 1 : 0)).join(".");
  const next = numbersOf(wanted);
  if (!next) throw new Error(`expected major, minor, patch or a version x.y.z, got "${wanted}"`);
  const first = next.findIndex((n, i) => n !== now[i]);
  if (first < 0 || next[first] < now[first])
    throw new Error(`the version ${wanted} is not above the present ${current}`);
  return next.join(".");
}

const UNRELEASED = /^## \[Unreleased\][ \t]*\n/m;

/** The changelog with the entries of `[Unreleased]` under the version, and those entries. */
export function releaseChangelog(text: string, version: string, date: string): { text: string; entries: string } {
  const heading = UNRELEASED.exec(text);
  if (!heading) throw new Error("CHANGELOG.md has no heading ## [Unreleased]");
  if (text.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md has an entry for ${version} already`);
  const start = heading.index + heading[0].length;
  const following = text.slice(start).search(/^## /m);
  const end = following < 0 ? text.length : start + following;
  const entries = text.slice(start, end).trim();
  if (!/^- /m.test(entries))
    throw new Error("CHANGELOG.md: nothing stands under [Unreleased]; write what changed first");
  const moved = `\n## [${version}] - ${date}\n\n${entries}\n${following < 0 ? "" : "\n"}`;
  return { text: text.slice(0, start) + moved + text.slice(end), entries };
}
