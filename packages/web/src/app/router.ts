// Where the page is: the address, as a signal. Links are plain <a href>; those of this page are followed without loading it again.
import { computed, signal } from "@preact/signals";

/** An address without its origin. */
const address = signal(here());

/** The path, as it stands in the address. */
export const path = computed(() => new URL(address.value, "http://page").pathname);

/** The query. */
export const query = computed(() => new URL(address.value, "http://page").searchParams);

function here(): string {
  const { location } = globalThis;
  return location ? location.pathname + location.search : "/";
}

/** Goes to an address of this page, to its beginning. */
export function navigate(to: string): void {
  history.pushState(null, "", to);
  address.value = here();
  scrollTo(0, 0);
}

/**
 * Changes values of the query, in place of the entry in the history; null and "" take one away. Browsers refuse more than some hundred in half
 * a minute: what moves continuously says so when it rests.
 */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  replaceQuery(withQuery(query.peek(), changes));
}

/** The same for the whole query: `?a=1`, or "". */
export function replaceQuery(search: string): void {
  history.replaceState(history.state, "", path.peek() + search);
  address.value = here();
}

/** `?a=1&b=plot:2`, or nothing. */
export function withQuery(query: URLSearchParams, changes: Readonly<Record<string, string | null>>): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  // colons and commas may stand in a query, and read better
  const text = next.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  return text && `?${text}`;
}

/** Follows the links of a document, and the browser's back and forward. */
export function followLinks(root: Document): void {
  addEventListener("popstate", () => {
    address.value = here();
  });
  root.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    if (!link || !isOurs(link, event)) return;
    event.preventDefault();
    const { pathname, search } = new URL(link.href);
    if (pathname + search !== here()) navigate(pathname + search);
  });
}

/** Paths that the server answers itself. */
const foreign = /^\/(v1|docs|reports|openapi\.json|healthz|readyz|metrics|assets)(\/|$)/;

function isOurs(link: HTMLAnchorElement, event: MouseEvent): boolean {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  if (link.target || link.hasAttribute("download") || link.getAttribute("href")?.startsWith("#")) return false;
  const { origin, pathname } = new URL(link.href);
  return origin === location.origin && !foreign.test(pathname);
}
