import type { ComponentType } from "preact";
import { loaded, reload } from "../api/loaded.ts";
import { Empty } from "../design/empty.tsx";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { ExploreScreen } from "../explore/explore-screen.tsx";
import { ItemScreen } from "../explore/item-screen.tsx";
import { path } from "./router.ts";
import { routeOf } from "./routes.ts";
import { useTitle } from "./title.ts";

/** Screens that are loaded when they are first gone to. */
const later = {
  you: () => import("../you/you-screen.tsx").then(({ YouScreen }) => YouScreen),
  studio: () => import("../studio/studio-screen.tsx").then(({ StudioScreen }) => StudioScreen),
  models: () => import("../model/models-screen.tsx").then(({ ModelsScreen }) => ModelsScreen),
  compare: () => import("../model/compare-screen.tsx").then(({ CompareScreen }) => CompareScreen),
  evaluation: () => import("../evaluation/evaluation-screen.tsx").then(({ EvaluationScreen }) => EvaluationScreen),
} satisfies Record<string, () => Promise<ComponentType>>;

const modelScreen = () => import("../model/model-screen.tsx").then(({ ModelScreen }) => ModelScreen);

/** The screen of the present path. */
export function CurrentScreen() {
  const { screen, params } = routeOf(path.value);
  switch (screen) {
    case "explore":
      return <ExploreScreen />;
    case "item":
      return <ItemScreen key={params.id} id={params.id} />;
    case "model":
      return <Later name="model" load={modelScreen} props={{ id: params.id }} />;
    case "nowhere":
      return <Nowhere />;
    default:
      return <Later key={screen} name={screen} load={later[screen]} props={{}} />;
  }
}

interface LaterProps<Props> {
  name: string;
  load: () => Promise<ComponentType<Props>>;
  props: Props;
}

function Later<Props extends object>({ name, load, props }: LaterProps<Props>) {
  const screen = loaded(`screen ${name}`, load).value;
  if (screen.state === "loading") return <Skeleton height="24rem" />;
  if (screen.state === "failed")
    return <ProblemView problem={screen.problem} onRetry={() => reload(`screen ${name}`)} />;
  return <screen.value {...props} />;
}

function Nowhere() {
  useTitle("Not found");
  return (
    <>
      <h1 class="unseen">Not found</h1>
      <Empty title="There is nothing at this address">
        <p>
          It may have been mistyped. <a href="/">Explore the catalogue</a> instead.
        </p>
      </Empty>
    </>
  );
}
