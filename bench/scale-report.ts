// The tables of docs/scaling.md.
import { type Machine, table } from "./harness.ts";
import type { PersonalizeScale } from "./scale-personalize.ts";
import { plan } from "./scale-plan.ts";
import type { PrepareScale } from "./scale-prepare.ts";
import type { ReplicaScale } from "./scale-replicas.ts";

interface Taken {
  date: string;
  machine: Machine;
}

export interface ScaleResult {
  suite: "scale";
  prepare: (Taken & PrepareScale) | null;
  personalize: (Taken & PersonalizeScale) | null;
  replicas: ReplicaScale | null;
}

export function report(result: ScaleResult): string {
  const { prepare, personalize, replicas } = result;
  return [
    prepare && prepareTable(prepare),
    personalize && personalizeTable(personalize),
    replicas && replicaTable(replicas),
    plan(result),
  ]
    .filter((part) => part !== null)
    .join("\n\n");
}

const n = (value: number, digits = 0) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

const taken = ({ date, machine }: Taken) =>
  `${machine.cpu}, ${machine.cores} cores, ${date}, load of the machine before: ${machine.load}`;

const speedUp = (
  cases: readonly { cores: number; seconds: number }[],
  { cores, seconds }: { cores: number; seconds: number },
) => {
  const one = cases.find((other) => other.cores === 1);
  return cores === 1 || !one ? "" : `${(one.seconds / seconds).toFixed(2)} ×`;
};

function prepareTable({ rows, cases, ...when }: Taken & PrepareScale): string {
  const lines = cases.map((one) => {
    const same = cases.filter(({ engine }) => engine === one.engine);
    return [
      one.engine === "duckdb"
        ? `DuckDB, ${one.cores} thread${one.cores === 1 ? "" : "s"}`
        : `Spark, ${one.cores} worker${one.cores === 1 ? "" : "s"}`,
      n(one.seconds, 1),
      n(rows / one.seconds / one.cores),
      speedUp(same, one),
    ];
  });
  return `Preparation of ${n(rows)} ratings, Parquet in, tables out (${taken(when)}):\n\n${table([
    ["", "seconds", "rows a second and core", "1 → 2"],
    ...lines,
  ])}`;
}

function personalizeTable({ users, items, cases, ...when }: Taken & PersonalizeScale): string {
  const lines = cases.map((one) => {
    const same = cases
      .filter(({ engine }) => engine === one.engine)
      .map(({ cores, seconds, startSeconds }) => ({ cores, seconds: seconds - startSeconds }));
    const own = { cores: one.cores, seconds: one.seconds - one.startSeconds };
    return [
      one.engine === "filter"
        ? `${one.cores} filter${one.cores === 1 ? "" : "s"} on this machine`
        : `Spark, ${one.cores} worker${one.cores === 1 ? "" : "s"}`,
      n(one.seconds, 1),
      n(one.startSeconds, 1),
      n(one.usersPerSecondPerCore),
      speedUp(same, own),
    ];
  });
  return `Personalisation of ${n(users)} users with ${items} items each (${taken(when)}):\n\n${table([
    ["", "seconds", "of them to start", "beyond the start: users a second and core", "1 → 2"],
    ...lines,
  ])}`;
}

function replicaTable({ items, cases, ...when }: ReplicaScale): string {
  const row = (name: string, cell: (one: ReplicaScale["cases"][number]) => string) => [name, ...cases.map(cell)];
  const processor = (seconds: number | null) => (seconds === null ? "–" : n(1000 * seconds));
  const shared =
    "All, with what asks them, share this machine's cores: this is what a further server costs, not what it adds";
  return `Servers over one PostgreSQL, ${n(items)} items. ${shared} (${taken(when)}):\n\n${table([
    ["", ...cases.map(({ servers }) => `${servers} server${servers === 1 ? "" : "s"}`)],
    row("searches a second, of each", ({ searches, servers }) => n(searches / servers)),
    row("… of all", ({ searches }) => n(searches)),
    row("PostgreSQL for 1,000 searches: transactions", ({ perSearches }) => n(perSearches.transactions, 1)),
    row("… ms of processor time", ({ perSearches }) => processor(perSearches.postgres)),
    row("servers for 1,000 searches, ms of processor time", ({ perSearches }) => processor(perSearches.servers)),
    row("events a second, of all, 100 a request", ({ events }) => n(events)),
    row("PostgreSQL for 1,000 events: transactions", ({ perEvents }) => n(perEvents.transactions, 1)),
    row("… ms of processor time", ({ perEvents }) => processor(perEvents.postgres)),
    row("transactions a second while nobody asks", ({ idle }) => n(idle, 1)),
    row("memory of each, MB", ({ resident }) =>
      n(resident.reduce((sum, bytes) => sum + bytes, 0) / resident.length / 1e6),
    ),
    row("requests that failed", ({ failed }) => n(failed)),
  ])}`;
}
