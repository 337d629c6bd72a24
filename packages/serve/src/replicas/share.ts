// Who of several servers fits a user whose metric became old for all of them at once, as with a new model or an import: the one whose number with the
// user's is highest. Two servers that do not agree on who is alive leave nobody out, as long as each counts itself; some users are fitted twice then,
// and the second fit is not written.
import { tieHash } from "@nearkin/core";

/** Whether the user is this server's, and not one of the others'. */
export function isOurs(user: string, own: string, others: readonly { readonly id: string }[]): boolean {
  const ours = tieHash(`${user} ${own}`);
  return others.every(({ id }) => {
    const theirs = tieHash(`${user} ${id}`);
    return ours > theirs || (ours === theirs && own < id);
  });
}
