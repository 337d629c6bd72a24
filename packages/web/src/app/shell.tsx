import { useEffect, useRef } from "preact/hooks";
import { loading } from "../api/loaded.ts";
import { askToSignIn, keyWanted, signedIn, signOut, tokenUser } from "../api/session.ts";
import { SignIn } from "../api/sign-in.tsx";
import { Button } from "../design/button.tsx";
import { Icon, type IconName } from "../design/icon.tsx";
import { activeModel } from "../engine/active-model.ts";
import { Guard } from "./guard.tsx";
import { path } from "./router.ts";
import { CurrentScreen } from "./screens.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { screenTitle } from "./title.ts";
import "./shell.css";

const destinations: readonly { to: string; name: string; icon: IconName; holds: RegExp }[] = [
  { to: "/", name: "Explore", icon: "explore", holds: /^\/(items\/.*)?$/ },
  { to: "/you", name: "You", icon: "you", holds: /^\/you$/ },
  { to: "/studio", name: "Studio", icon: "studio", holds: /^\/studio$/ },
  { to: "/model", name: "Model", icon: "model", holds: /^\/model(\/.*)?$/ },
  { to: "/evaluation", name: "Evaluation", icon: "evaluation", holds: /^\/evaluation$/ },
];

/** What is around every screen. */
export function Shell() {
  const main = useRef<HTMLElement>(null);
  useFocusAfterNavigation(main);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <a class="brand" href="/">
            <Mark />
            Nearkin
          </a>
          <Navigation />
          <div class="top-end">
            <WhoAsks />
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} data-loading={loading}>
        <Guard at={path.value}>
          <CurrentScreen />
        </Guard>
      </main>
      <Footer />
      <p class="unseen" aria-live="polite">
        {screenTitle.value}
      </p>
      <SignIn />
    </>
  );
}

/** A way in where the server asks for a key, and a way out. */
function WhoAsks() {
  if (!signedIn.value) {
    return keyWanted.value ? (
      <Button look="plain" onClick={askToSignIn}>
        Sign in
      </Button>
    ) : null;
  }
  return (
    <Button look="plain" onClick={signOut} title={tokenUser.value && `Signed in with a token of ${tokenUser.value}`}>
      Sign out
    </Button>
  );
}

/** Above on wide screens, below, under the thumb, on narrow ones. */
function Navigation() {
  return (
    <nav class="navigation" aria-label="Screens">
      <ul>
        {destinations.map(({ to, name, icon, holds }) => (
          <li key={to}>
            <a href={to} aria-current={holds.test(path.value) ? "page" : undefined}>
              <Icon name={icon} />
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Footer() {
  const model = activeModel.value;
  return (
    <footer class="foot soft small">
      {model?.dataset?.simulated && (
        <p>The items of “{model.dataset.name}” are real. Its users and their ratings are simulated.</p>
      )}
      <p>
        <a href="/docs">API</a>
        {(signedIn.value || keyWanted.value) && ", shown without a key where the server was started with --open docs"}
      </p>
    </footer>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="11" cy="20" r="8" />
      <circle cx="22.5" cy="10.5" r="4.5" />
      <circle cx="26" cy="22" r="2.5" />
    </svg>
  );
}

/** Another screen begins at its beginning, also for those who listen or use the keyboard. Not at the first: that is the browser's. */
function useFocusAfterNavigation(main: { current: HTMLElement | null }): void {
  const before = useRef(path.value);
  const now = path.value;
  useEffect(() => {
    if (before.current === now) return;
    before.current = now;
    main.current?.focus({ preventScroll: true });
  }, [now, main]);
}
