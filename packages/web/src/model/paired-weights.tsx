import type { ModelInfo } from "@nearkin/client";
import { ChartFrame } from "../design/chart-frame.tsx";
import { decimals, percent } from "../design/numbers.ts";
import { Table } from "../design/table.tsx";
import { type ChannelShare, changeOf, channelColours, sharePairs } from "./weights.ts";
import "./paired-weights.css";

interface PairedWeightsProps {
  a: ModelInfo;
  b: ModelInfo;
  active: ModelInfo | undefined;
}

/** Two models' weights, channel by channel. */
export function PairedWeights({ a, b, active }: PairedWeightsProps) {
  const pairs = sharePairs(a.channels, b.channels);
  const names = (model: ModelInfo | undefined) => model?.channels.map(({ name }) => name) ?? [];
  const colours = channelColours(names(active), [...names(a), ...names(b)]);
  const full = Math.max(0.01, ...pairs.flatMap((pair) => [pair.a, pair.b]).map((own) => Math.abs(own?.share ?? 0)));
  return (
    <ChartFrame
      title="Channel weights"
      unit="share of the distance of a typical pair of items"
      caption={`Above: ${a.folder}. Below it, hatched: ${b.folder}.`}
      table={
        <Table
          caption="Channel weights of both models"
          quiet
          columns={[
            { title: "Channel", cell: ({ name }) => name },
            { title: a.folder, numeric: true, cell: ({ a: own }) => percent(own?.share) },
            { title: "h", numeric: true, cell: ({ a: own }) => decimals(own?.weight, 4) },
            { title: b.folder, numeric: true, cell: ({ b: own }) => percent(own?.share) },
            { title: "h ", numeric: true, cell: ({ b: own }) => decimals(own?.weight, 4) },
          ]}
          rows={pairs}
          keyOf={({ name }) => name}
        />
      }
    >
      <ul class="paired">
        {pairs.map((pair) => (
          <li key={pair.name} style={{ "--colour": colours.get(pair.name) ?? "var(--ink-soft)" }}>
            <span class="paired-name">{pair.name}</span>
            <span class="paired-bars">
              <PairedBar folder={a.folder} own={pair.a} full={full} />
              <PairedBar folder={b.folder} own={pair.b} full={full} second />
            </span>
            <span class="paired-change figures small soft">{changeOf(pair)}</span>
          </li>
        ))}
      </ul>
    </ChartFrame>
  );
}

interface PairedBarProps {
  folder: string;
  own: ChannelShare | undefined;
  full: number;
  second?: boolean;
}

function PairedBar({ folder, own, full, second = false }: PairedBarProps) {
  if (!own) return <span class="paired-none soft small">not in {folder}</span>;
  const title = `${folder}: ${own.name} ${percent(own.share)}, weight ${decimals(own.weight, 4)}`;
  return (
    <span class="paired-row" title={title}>
      <span
        class={second ? "paired-bar paired-second" : "paired-bar"}
        aria-hidden="true"
        style={{ "--part": String(Math.abs(own.share) / full) }}
      />
      <span class="unseen">{folder}: </span>
      <span class="figures small">{percent(own.share)}</span>
    </span>
  );
}
