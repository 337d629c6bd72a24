import type { UserMetric } from "@nearkin/client";
import { client } from "../api/client.ts";
import { type Loaded, loaded, reload } from "../api/loaded.ts";
import { withQuery } from "../app/router.ts";
import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { activeModel, noting } from "../engine/active-model.ts";
import { engineProblem, openEngine, similarity } from "../engine/engine.ts";
import { ApiCall } from "./api-call-view.tsx";
import { itemFacts, itemQuestion } from "./facts.ts";
import { ItemHead } from "./item-head.tsx";
import { ItemSearch } from "./item-search.tsx";
import { useLiveList } from "./live-list.ts";
import { Neighbours } from "./neighbours.tsx";
import {
  type Chosen,
  countsNothing,
  FEW,
  isMoved,
  MOST,
  printChosen,
  questionOf,
  type StartingMetric,
} from "./tuning.ts";
import { TuningPanel } from "./tuning-panel.tsx";
import { useChosen } from "./use-chosen.ts";
import "./item-screen.css";

/** An item, its neighbours, and everything that their order depends on. */
export function ItemScreen({ id }: { id: string }) {
  const details = itemFacts(id).value;
  useTitle(details.state === "ready" ? (details.value.title ?? id) : id);
  const failed = details.state === "failed" ? details.problem : engineProblem.value;
  if (failed) {
    return (
      <div class="stack">
        <ItemSearch />
        <h1 class="unseen">{id}</h1>
        <ProblemView
          problem={failed}
          onRetry={() => {
            if (engineProblem.value) void openEngine();
            reload(itemQuestion(id));
          }}
        />
      </div>
    );
  }
  return (
    <div class="item-screen">
      <ItemSearch />
      {details.state === "ready" ? <ItemHead item={details.value} /> : <Skeleton height="15rem" />}
      <TunedNeighbours id={id} />
    </div>
  );
}

function TunedNeighbours({ id }: { id: string }) {
  const learned = learnedMetric();
  const [chosen, choose] = useChosen(Object.keys(learned.weights));
  const metric = metricOf(chosen.user);
  const met = metOf(chosen.user);
  const start = {
    ...(metric?.state === "ready" ? metric.value : learned),
    met: met?.state === "ready" ? met.value : [],
  };
  // a metric of another model, while the page goes over to that one, has other channels
  const fits = metric?.state !== "ready" || metric.value.model === activeModel.value?.id;
  const isLoading = metric?.state === "loading" || met?.state === "loading";
  const known = activeModel.value !== undefined && !isLoading && fits;
  const question = questionOf(chosen, start);
  const { list, problem, askAgain } = useLiveList(id, known ? question : undefined);
  const search = withQuery(new URLSearchParams(), printChosen({ ...chosen, k: FEW }));
  return (
    <>
      <TuningPanel
        chosen={chosen}
        start={start}
        reason={metric?.state === "ready" ? metric.value.reason : undefined}
        onChange={choose}
      />
      {metric?.state === "failed" && (
        <ProblemView problem={metric.problem} onRetry={() => reload(`metric ${chosen.user}`)} />
      )}
      {problem && <ProblemView problem={problem} onRetry={askAgain} />}
      {problem && !list ? null : known && countsNothing(question) ? (
        <Empty title="Nothing counts">
          <p>Every channel is at 0, so no item is nearer than another. Move one up.</p>
        </Empty>
      ) : (
        <Neighbours
          list={list}
          before={ranksBefore(id, chosen, learned)}
          search={search}
          onMore={() => choose({ ...chosen, k: Math.min(MOST, 2 * chosen.k) })}
        />
      )}
      <ApiCall item={id} chosen={chosen} />
    </>
  );
}

/** The metric that all share. */
function learnedMetric(): StartingMetric {
  const channels = activeModel.value?.channels ?? [];
  return { weights: Object.fromEntries(channels.map(({ name, weight }) => [name, weight])), popularity: 0, met: [] };
}

function metricOf(user: string | null): Loaded<UserMetric> | undefined {
  if (user === null) return undefined;
  return loaded(`metric ${user}`, async () => noting(await client.users.metric.get(user))).value;
}

const MAX_MET = 50; // events; the model takes the last ten items that it has

/** What a user met, the last one last; undefined if it cannot count. Who may not see it has a list without it. */
function metOf(user: string | null): Loaded<readonly string[]> | undefined {
  if (user === null || !activeModel.value?.channels.some(({ type }) => type === "behavior")) return undefined;
  return loaded(`met by ${user}`, async () => {
    const { events } = await client.users.events(user, { limit: MAX_MET });
    return events.map(({ item }) => item).reverse();
  }).value;
}

/** Ranks in the list that all share, to compare with; undefined where nothing was chosen, or they are not there yet. */
function ranksBefore(id: string, chosen: Chosen, learned: StartingMetric): ReadonlyMap<string, number> | undefined {
  const model = activeModel.value;
  if (!model || (chosen.user === null && !isMoved(chosen))) return undefined;
  const shared = loaded(`shared list ${id}`, async () => {
    const items = await similarity.peek().similar(id, { ...learned, diversity: 0, k: MOST });
    return new Map(items.map((item) => [item.id, item.rank]));
  }).value;
  return shared.state === "ready" ? shared.value : undefined;
}
