import { useEffect } from "preact/hooks";
import { useTitle } from "../app/title.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Chip } from "../design/chip.tsx";
import { Empty } from "../design/empty.tsx";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { openEngine, withoutServer } from "../engine/engine.ts";
import { DataCard } from "./data-card.tsx";
import { ForYou } from "./for-you.tsx";
import { keepLearning, learnAgain, learningProblem } from "./learning.ts";
import { holdModel, type OwnModel, openAnyway, ownModel } from "./own-model.ts";
import { RateCard } from "./rate-card.tsx";
import { RatingsList } from "./ratings-list.tsx";
import { UndoBar } from "./undo-bar.tsx";
import { WeightsView } from "./weights-view.tsx";
import { followTabs, notes, said } from "./you-state.ts";
import "./you-screen.css";

/** What counts for the one who sits here, learned on this device from what they rate. */
export function YouScreen() {
  useTitle("You");
  useEffect(() => {
    const ends = [holdModel(), keepLearning(), followTabs()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const model = ownModel.value;
  return (
    <div class="you">
      <header class="you-head">
        <h1>What counts for you</h1>
        <p class="you-lead soft">
          Rate what you know. Your own weights are learned while you look, on this device, and nothing leaves it unless
          you <a href="#data">save it</a>.{" "}
          {withoutServer.value && <Chip tone="caution">Without the server: all of this works</Chip>}
        </p>
      </header>
      {model.state === "ready" ? <Learning /> : <NoModel model={model} />}
      <p class="unseen" aria-live="polite">
        {said.value}
      </p>
      <UndoBar />
    </div>
  );
}

function Learning() {
  const problem = learningProblem.value;
  return (
    <div class="you-columns">
      <div class="you-main">
        <RateCard />
        {problem && <ProblemView problem={problem} onRetry={learnAgain} />}
      </div>
      <div class="you-side">
        <Card>
          <WeightsView />
        </Card>
      </div>
      <div class="you-more">
        <ForYou />
        <RatingsList />
        <DataCard />
      </div>
    </div>
  );
}

/** What keeps the screen from learning, and what to do about it. Ratings that are there stay at hand. */
function NoModel({ model }: { model: Exclude<OwnModel, { state: "ready" }> }) {
  const count = notes.value.ratings.length;
  return (
    <div class="stack">
      {model.state === "waiting" && <Skeleton height="30rem" />}
      {model.state === "failed" && (
        <ProblemView
          problem={model.problem}
          onRetry={() => {
            void openEngine();
            openAnyway();
          }}
        />
      )}
      {model.state === "impersonal" && (
        <Empty title="This model cannot learn from one person">
          <p>
            “{model.name}” was trained without users, so that it does not know how people differ. Train it on data with
            users, or <a href="/model">activate another model</a>. What is similar for everybody is in{" "}
            <a href="/">Explore</a>.
          </p>
        </Empty>
      )}
      {model.state === "large" && (
        <Empty title="The model has to be on this device">
          <p>
            Your metric is learned here, not at the server. This model is {Math.round(model.bytes / 1e6)} MB: it is not
            downloaded without asking.
          </p>
          <Button look="primary" onClick={openAnyway}>
            Download it
          </Button>
        </Empty>
      )}
      {count > 0 && model.state !== "waiting" && <DataCard />}
    </div>
  );
}
