// A store whose calls are timed, by the name of the part and the method: "events.add".
import type { Store } from "./store.ts";

export interface StoreObserver {
  called(call: string, seconds: number): void;
  failed(call: string): void;
}

export function observedStore(store: Store, observer: StoreObserver): Store {
  return observed(store, "", observer);
}

/** The same object with all its methods timed, and those of its parts. */
function observed<T extends object>(part: T, prefix: string, observer: StoreObserver): T {
  const result = { ...part } as Record<string, unknown>;
  for (const [name, member] of Object.entries(part)) {
    if (typeof member === "function") result[name] = timed(member as Method, `${prefix}${name}`, observer);
    else if (typeof member === "object" && member !== null) result[name] = observed(member, `${name}.`, observer);
  }
  return result as T; // what has a symbol for a name, its disposal, is as it was
}

type Method = (...args: unknown[]) => unknown;

function timed(method: Method, call: string, { called, failed }: StoreObserver): Method {
  return (...args) => {
    const started = performance.now();
    const answer = method(...args);
    if (answer instanceof Promise) {
      answer.then(
        () => called(call, (performance.now() - started) / 1000),
        () => failed(call),
      );
    }
    return answer;
  };
}
