// npm run taylor-error: how good Lemma 1's Taylor form of an adaptation is, as weights grow: the table of docs/personalisation.md.
import {
  adapt,
  adaptationJacobian,
  createEngine,
  PersonalLikelihood,
  taylorAdaptation,
  taylorJacobian,
  taylorValue,
} from "@nearkin/core";
import { markdownTable } from "@nearkin/evaluate";
import { personalWorld } from "../packages/core/src/personal/testing/world.ts";

const LENGTHS = [0.01, 0.03, 0.1, 0.3, 1, 3];
const STEPS = [1, 5];
const USERS = 20;
const [n, p, rate] = [40, 5, 0.05];

const norm = (values: ArrayLike<number>): number => Math.hypot(...Array.from(values));
const relative = (a: Float64Array, b: Float64Array): number => norm(a.map((value, i) => value - b[i])) / norm(b);

/** Means over users of the relative errors of κ and ∂κ/∂w; weights point the same way in all channels. */
export async function taylorTable(): Promise<string> {
  await using engine = await createEngine({ engine: "wasm", workers: 1 });
  const rows = LENGTHS.map((length) => {
    const w = Float64Array.from([...new Float64Array(p).fill(length / Math.sqrt(p)), 0]); // h, and b
    const cells = STEPS.flatMap((steps) => {
      let [value, jacobian] = [0, 0];
      for (let user = 1; user <= USERS; user++) {
        using scope = engine.scope();
        const likelihood = new PersonalLikelihood(engine, scope, personalWorld(n, p, user), {
          link: "sigmoid",
          variance: 1,
        });
        const path = adapt(likelihood, w, { steps, rate });
        const form = taylorAdaptation(likelihood, { steps, rate });
        value += relative(taylorValue(form, w), path[steps]) / USERS;
        jacobian += relative(taylorJacobian(form, w), adaptationJacobian(likelihood, path, rate)) / USERS;
      }
      return [value.toExponential(0), jacobian.toExponential(0)];
    });
    return [String(length), ...cells];
  });
  return markdownTable([["‖w‖", ...STEPS.flatMap((t) => [`κ, t = ${t}`, `∂κ/∂w, t = ${t}`])], ...rows]);
}

if (process.argv[1] === import.meta.filename) process.stdout.write(`${await taylorTable()}\n`);
