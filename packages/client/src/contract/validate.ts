import { describeProblems } from "./problems.ts";
import { allRoutes } from "./routes.ts";

const responses = new Map(allRoutes.map(({ method, path, response }) => [`${method} ${path}`, response]));

/**
 * Throws where an answer is not what the contract says. For `createClient({ validate: validateAnswer })`: for tests, or where the server is not
 * yours. Keys that a later version adds are refused too.
 */
export function validateAnswer(address: string, answer: unknown): void {
  const response = responses.get(address);
  if (!response) throw new TypeError(`no route is ${address}`);
  const { error } = response.safeParse(answer);
  if (error) throw new TypeError(`not what the contract says: ${describeProblems(error, "the answer").message}`);
}
