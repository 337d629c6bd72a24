import { signedIn } from "../api/session.ts";
import { Card } from "../design/card.tsx";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { activeModel } from "../engine/active-model.ts";
import { CallView } from "../explore/api-call-view.tsx";
import { AddToCatalogue } from "./add-to-catalogue.tsx";
import { Closest } from "./closest.tsx";
import { draftCall } from "./draft-call.ts";
import { EffectsTable } from "./effects-table.tsx";
import { ExampleDrafts } from "./example-drafts.tsx";
import { RatingCaution } from "./rating-caution.tsx";
import { RatingInterval } from "./rating-interval.tsx";
import type { Studio } from "./use-studio.ts";

/** All that is answered to the draft. */
export function Results({ studio }: { studio: Studio }) {
  const { live, refusal } = studio;
  const answer = live.answer.value;
  const problem = live.problem.value;
  if (problem) return <ProblemView problem={problem} onRetry={live.again} />;
  if (!answer && refusal.value)
    return <Refused>A field cannot be read. Mend it, and what is close appears here.</Refused>;
  if (!answer) return live.busy.value ? <Waiting /> : <ExampleDrafts studio={studio} />;
  return (
    <div
      id="studio-results"
      class={live.busy.value ? "studio-results studio-stale" : "studio-results"}
      aria-busy={live.busy.value}
    >
      {refusal.value && <Refused>A field cannot be read. What stands here is of the draft before.</Refused>}
      {activeModel.value?.predictsRatings && (
        <Card label="Expected rating">
          <h2>Expected rating</h2>
          {answer.rating ? <RatingInterval rating={answer.rating} /> : <Skeleton height="5rem" />}
          <RatingCaution />
        </Card>
      )}
      <Closest studio={studio} answer={answer} />
      <EffectsTable studio={studio} />
      <div class="stack">
        <AddToCatalogue studio={studio} />
        <CallView
          call={draftCall(answer.cells, { origin: location.origin, keyed: signedIn.value, k: answer.items.length })}
        />
      </div>
    </div>
  );
}

const Waiting = () => (
  <div class="studio-results" aria-busy="true">
    <Skeleton height="8rem" />
    <Skeleton height="36rem" />
  </div>
);

/** The field itself says what is wrong with it. */
const Refused = ({ children }: { children: string }) => (
  <p class="studio-refused" role="status">
    {children}
  </p>
);
