import { loaded } from "../api/loaded.ts";
import { readManifest } from "../api/model-files.ts";
import { sessionNumber } from "../api/session.ts";
import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { activeModel } from "../engine/active-model.ts";
import { engineProblem, openEngine, whyServer } from "../engine/engine.ts";
import { isBlank } from "./draft.ts";
import { DraftForm } from "./draft-form.tsx";
import { formOf, type StudioForm } from "./form.ts";
import { Peek } from "./peek.tsx";
import { Results } from "./results.tsx";
import { StartFrom } from "./start-from.tsx";
import { useStudio } from "./use-studio.ts";
import "./studio.css";

/** An item that does not exist, described field by field: what it would be close to, and why. */
export function StudioScreen() {
  useTitle("Studio");
  return (
    <div class="stack">
      <header class="studio-head">
        <h1>Studio</h1>
        <p class="soft">Describe an item that does not exist, and see what it would be close to, and why.</p>
      </header>
      <StudioOfModel />
    </div>
  );
}

function StudioOfModel() {
  const model = activeModel.value;
  const problem = engineProblem.value;
  if (problem) return <ProblemView problem={problem} onRetry={() => void openEngine()} />;
  if (!model) return whyServer.value === undefined ? <Waiting /> : <NoModel />;
  const id = model.id ?? model.folder;
  // its suggestions and ranges; without them the form is plainer, and works
  const manifest = loaded(`manifest ${id}`, () => readManifest(id)).value;
  if (manifest.state === "loading") return <Waiting />;
  // another key or token may be answered otherwise: what the one before was answered is forgotten
  return (
    <Workbench
      key={`${id} ${sessionNumber.value}`}
      form={formOf(model, manifest.state === "ready" ? manifest.value : null)}
    />
  );
}

function Workbench({ form }: { form: StudioForm }) {
  const studio = useStudio(form);
  if (form.fields.length === 0) {
    return (
      <Empty title="This model has nothing to type">
        <p>
          Its channels are vectors, or learned from who met what. Train one with texts, categories, numbers or dates.
        </p>
      </Empty>
    );
  }
  return (
    <div class={isBlank(studio.draft.value) ? "studio studio-empty" : "studio"}>
      <div class="studio-draft stack">
        <StartFrom studio={studio} />
        <DraftForm studio={studio} />
        <Peek studio={studio} />
      </div>
      <Results studio={studio} />
    </div>
  );
}

const Waiting = () => (
  <div class="studio" aria-busy="true">
    <Skeleton height="32rem" />
    <Skeleton height="32rem" />
  </div>
);

const NoModel = () => (
  <Empty title="The server has no model to ask">
    <p>
      Activate one on the screen <a href="/model">Model</a>.
    </p>
  </Empty>
);
