import type { Training, TrainingStage } from "@nearkin/client";
import { count, decimals, duration } from "../design/numbers.ts";
import { type Column, Table } from "../design/table.tsx";

const rankings: readonly Column<TrainingStage>[] = [
  { title: "HR", numeric: true, cell: ({ metrics }) => decimals(metrics.hr) },
  { title: "MRR", numeric: true, cell: ({ metrics }) => decimals(metrics.mrr) },
  { title: "NDCG", numeric: true, cell: ({ metrics }) => decimals(metrics.ndcg) },
];

/** A stage in a line: how far it went, which step was kept, and how well that ranks. */
export function StagesTable({ stages }: Pick<Training, "stages">) {
  const ranked = stages.some(({ metrics }) => metrics.hr !== undefined);
  const holdout = stages.some(({ metrics }) => metrics.holdoutNll !== undefined);
  const timed = stages.some(({ seconds }) => seconds !== null);
  const columns: Column<TrainingStage>[] = [
    { title: "Stage", cell: ({ name }) => name },
    { title: "Steps", numeric: true, cell: ({ steps }) => count(steps) },
    { title: "Kept", numeric: true, cell: ({ best }) => count(best) },
    ...(ranked ? rankings : []),
    ...(holdout
      ? [
          {
            title: "Held-out NLL",
            numeric: true,
            cell: ({ metrics }: TrainingStage) => decimals(metrics.holdoutNll),
          },
        ]
      : []),
    ...(timed ? [{ title: "Took", numeric: true, cell: ({ seconds }: TrainingStage) => duration(seconds) }] : []),
  ];
  return (
    <div>
      <Table caption="Stages" quiet columns={columns} rows={stages} keyOf={({ name }) => name} />
      {ranked && (
        <p class="soft small table-note">
          Figures of the step that was kept, on validation items, at 10 places. HR is the share of hits among the
          nearest items; MRR is high where the first hit comes early, NDCG where hits come before everything else.
        </p>
      )}
    </div>
  );
}
