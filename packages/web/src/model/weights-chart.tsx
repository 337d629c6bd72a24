import { ChartFrame } from "../design/chart-frame.tsx";
import { decimals, listed, percent } from "../design/numbers.ts";
import { Table } from "../design/table.tsx";
import type { ChannelShare } from "./weights.ts";
import "./weights-chart.css";

interface WeightsChartProps {
  shares: readonly ChannelShare[];
  colours: ReadonlyMap<string, string>;
}

/** What each channel adds to the distance of a typical pair, the largest first. */
export function WeightsChart({ shares, colours }: WeightsChartProps) {
  const sorted = shares.toSorted((a, b) => b.share - a.share);
  const least = Math.min(0, ...sorted.map(({ share }) => share));
  const most = Math.max(0.01, ...sorted.map(({ share }) => share));
  const at = (share: number) => (share - least) / (most - least);
  return (
    <ChartFrame
      title="Channel weights"
      unit="share of the distance of a typical pair of items"
      caption={`In every channel two random items are about 1 apart, so a weight is what the channel adds to their distance. ${summary(sorted)}`}
      table={
        <Table
          caption="Channel weights"
          quiet
          columns={[
            { title: "Channel", cell: ({ name }) => name },
            { title: "Type", cell: ({ type }) => type },
            { title: "Weight h", numeric: true, cell: ({ weight }) => decimals(weight, 4) },
            { title: "Share", numeric: true, cell: ({ share }) => percent(share) },
          ]}
          rows={sorted}
          keyOf={({ name }) => name}
        />
      }
    >
      <ul class="weights">
        {sorted.map(({ name, type, weight, share }) => (
          <li key={name} title={`${name}: weight ${decimals(weight, 4)}, ${percent(share)} of a typical distance`}>
            <span class="weights-name">
              {name} <span class="soft small">{type}</span>
            </span>
            <span
              class="weights-bar"
              aria-hidden="true"
              style={{
                "--from": String(at(Math.min(0, share))),
                "--to": String(at(Math.max(0, share))),
                "--colour": colours.get(name) ?? "var(--ink-soft)",
              }}
            />
            <span class="weights-share figures">{percent(share)}</span>
            <span class="weights-weight figures soft small">h {decimals(weight)}</span>
          </li>
        ))}
      </ul>
    </ChartFrame>
  );
}

function summary(sorted: readonly ChannelShare[]): string {
  const main = sorted.filter(({ share }) => share >= 0.1).map(({ name, share }) => `${name} makes ${percent(share)}`);
  return main.length === 0 ? "" : `Of a typical distance ${listed(main)}.`;
}
