// The keys of a store, for commands beside a server.
import { openStore } from "../store/store.ts";
import { KeyRing } from "./key-ring.ts";

export interface OpenedKeys extends AsyncDisposable {
  readonly ring: KeyRing;
}

export async function openKeys(location: string): Promise<OpenedKeys> {
  const store = await openStore(location, { exclusive: false });
  return { ring: new KeyRing(store.keys), [Symbol.asyncDispose]: () => store.close() };
}
