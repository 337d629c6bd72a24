// Asks the browser to keep the page. Where it cannot, the page works as long as it is open.
import address from "./service-worker.ts?worker&url";

/** After the first screen is there, so as not to take the network from it. Not while developing: files change under their names. */
export function keepPage(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const register = () => {
    // refused, or the file is not served: nothing is lost but the page without a network
    navigator.serviceWorker.register(address).catch(() => undefined);
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}
