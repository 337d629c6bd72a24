import type { ListedUser } from "@nearkin/client";

export interface UserList {
  readonly users: readonly (Pick<ListedUser, "id"> & Partial<ListedUser>)[];
  /** null where these are all. */
  readonly next: string | null;
}

const PROPOSED = 50;

/**
 * Users whose id holds the text. Where the list is not all there is, or nobody may see it, what was typed may be an id too: the server
 * knows.
 */
export function usersFor(
  known: UserList | undefined,
  text: string,
): readonly (Pick<ListedUser, "id"> & Partial<ListedUser>)[] {
  const wanted = text.trim();
  const found = (known?.users ?? []).filter(({ id }) => id.toLowerCase().includes(wanted.toLowerCase()));
  const complete = known !== undefined && known.next === null;
  const typed = !complete && wanted !== "" && !found.some(({ id }) => id === wanted) ? [{ id: wanted }] : [];
  return [...found.slice(0, PROPOSED), ...typed];
}
