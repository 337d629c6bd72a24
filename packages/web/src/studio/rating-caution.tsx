import { activeModel } from "../engine/active-model.ts";
import { modelPath, nameOf, trainingOf } from "../model/models.ts";
import { foretellsLittle } from "../model/warnings.ts";

/** Said beside a predicted rating where training found that ratings can hardly be predicted: the figure alone looks like knowledge. */
export function RatingCaution() {
  const model = activeModel.value;
  if (!model) return null;
  const training = trainingOf(nameOf(model)).value;
  if (training.state !== "ready" || !foretellsLittle(training.value)) return null;
  return (
    <p class="small">
      <strong>This model can hardly tell ratings apart:</strong> every draft is expected near the mean.{" "}
      <a href={modelPath(model)}>Why</a>
    </p>
  );
}
