// Predicted ratings of never-seen items, against what they were.
import type { Evaluation } from "@nearkin/client";
import { useCallback } from "preact/hooks";
import { Card } from "../design/card.tsx";
import { ChartFrame } from "../design/chart-frame.tsx";
import { count, decimals, percent, plural, rangeText } from "../design/numbers.ts";
import { Table } from "../design/table.tsx";
import { type Calibration, coverageOf, errorRows, errorVerdict, reliabilityVerdict } from "./calibration.ts";
import { FigurePanel } from "./figure-panel.tsx";

/** Of the first model that has them; the posterior of one seed is judged. */
export function CalibrationSection({ evaluation }: { evaluation: Evaluation }) {
  const judged = evaluation.recommenders.find(({ calibration }) => calibration);
  if (!judged?.calibration) return null;
  const { calibration, name, seeds } = judged;
  return (
    <Card label="Predicted ratings" class="stack">
      <div>
        <h3>Predicted ratings</h3>
        <p class="small soft results-about">
          Of {name}
          {seeds.length > 1 && ` (seed ${seeds[0]})`}, for {plural(calibration.items, "item")} that training has not
          seen. The error (RMSE) is {decimals(calibration.rmse)} in units of the ratings; that of the mean over all
          ratings, which knows nothing of an item, is {decimals(calibration.rmseOfMean)}: {errorVerdict(calibration)}.
          Negative log-likelihood {decimals(calibration.nll.mean)} {rangeText(calibration.nll)} nats an item, against{" "}
          {decimals(calibration.nllOfMean)} of the mean.
        </p>
      </div>
      <div class="figure-panels">
        <Errors calibration={calibration} />
        <Reliability calibration={calibration} />
      </div>
    </Card>
  );
}

function Errors({ calibration }: { calibration: Calibration }) {
  return (
    <Table
      caption="Errors, by number of ratings"
      columns={[
        {
          title: "Items",
          cell: ({ least, items }) => (
            <span class="results-name">
              {least === 1 ? `all ${count(items)}` : `${count(items)} with ${count(least)} or more`}
            </span>
          ),
        },
        { title: "RMSE", numeric: true, cell: ({ rmse }) => decimals(rmse) },
        { title: "of the mean", numeric: true, cell: ({ rmseOfMean }) => decimals(rmseOfMean) },
        { title: "Correlation", numeric: true, cell: ({ correlation }) => decimals(correlation) },
      ]}
      rows={errorRows(calibration)}
      keyOf={({ least }) => least}
    />
  );
}

function Reliability({ calibration }: { calibration: Calibration }) {
  const points = coverageOf(calibration);
  const options = useCallback(
    ({ reliabilityOptions }: typeof import("./figures/index.ts")) => reliabilityOptions(coverageOf(calibration)),
    [calibration],
  );
  return (
    <ChartFrame
      title="Promised and actual coverage"
      unit="share of items whose mean rating lies in the interval"
      caption={reliabilityVerdict(calibration)}
      table={
        <Table
          caption="Promised and actual coverage"
          quiet
          columns={[
            { title: "Promised", cell: ({ promised }) => percent(promised) },
            { title: "Actual", numeric: true, cell: ({ actual }) => percent(actual) },
          ]}
          rows={points}
          keyOf={({ promised }) => promised}
        />
      }
    >
      <FigurePanel
        description={points
          .map(({ promised, actual }) => `${percent(actual)} of the items in the ${percent(promised)} interval`)
          .join(", ")}
        height={280}
        options={options}
      />
    </ChartFrame>
  );
}
