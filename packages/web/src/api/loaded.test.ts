import { afterEach, expect, test } from "vitest";
import { askAnew, loaded, reload } from "./loaded.ts";
import { signIn, signOut } from "./session.ts";

afterEach(signOut);

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a question is asked once, and its answer kept", async () => {
  let asked = 0;
  const ask = () => loaded("once", async () => ++asked);
  expect(ask().value).toEqual({ state: "loading" });
  await settled();
  expect(ask().value).toEqual({ state: "ready", value: 1 });
});

test("a failure says what to do, and asking again may help", async () => {
  let works = false;
  const ask = () =>
    loaded("failing", async () => {
      if (!works) throw new Error("down");
      return "up";
    });
  ask();
  await settled();
  expect(ask().value).toMatchObject({ state: "failed", problem: { detail: "down" } });
  works = true;
  reload("failing");
  expect(ask().value).toEqual({ state: "loading" });
  await settled();
  expect(ask().value).toEqual({ state: "ready", value: "up" });
});

test("another session asks anew, and an answer to the old one is dropped", async () => {
  const waiting: ((value: string) => void)[] = [];
  const ask = () => loaded("whose", () => new Promise<string>((resolve) => waiting.push(resolve)));
  ask();
  signIn("nk_other");
  ask();
  waiting[1]("the other's");
  waiting[0]("nobody's");
  await settled();
  expect(ask().value).toEqual({ state: "ready", value: "the other's" });
});

test("what one has seen is not shown to the next while the answer to them is on its way", async () => {
  const ask = () => loaded("of a user", async () => "theirs").value;
  signIn("nk_someone");
  ask();
  await settled();
  signIn("nk_of-more-scopes");
  expect(ask()).toEqual({ state: "ready", value: "theirs" });
  signOut();
  expect(ask()).toEqual({ state: "loading" });
});

test("asked twice, the later answer stands, whichever comes first", async () => {
  const waiting: ((value: string) => void)[] = [];
  const ask = () => loaded("twice", () => new Promise<string>((resolve) => waiting.push(resolve))).value;
  ask();
  reload("twice");
  waiting[1]("new");
  waiting[0]("old");
  await settled();
  expect(ask()).toEqual({ state: "ready", value: "new" });
});

test("another model is asked anew, and the old answer stands until it comes", async () => {
  let asked = 0;
  const ask = () => loaded("of the model", async () => ++asked).value;
  ask();
  await settled();
  askAnew();
  expect(ask()).toEqual({ state: "ready", value: 1 });
  await settled();
  expect(ask()).toEqual({ state: "ready", value: 2 });
});
