import { expect, test } from "vitest";
import { Lifecycle } from "./lifecycle.ts";

test("ready when every part is, and never again once draining", () => {
  const lifecycle = new Lifecycle(["store", "model"]);
  expect(lifecycle.readiness()).toEqual({ ready: false, reasons: ["store: starting", "model: starting"] });
  lifecycle.ready("store");
  lifecycle.notReady("model", "loading 40 %");
  expect(lifecycle.readiness()).toEqual({ ready: false, reasons: ["model: loading 40 %"] });
  lifecycle.ready("model");
  lifecycle.ready("unheard of");
  expect(lifecycle.readiness()).toEqual({ ready: true, reasons: [] });
  lifecycle.notReady("store", "connection lost");
  expect(lifecycle.readiness().ready).toBe(false);
  lifecycle.ready("store");
  lifecycle.drain();
  lifecycle.ready("model");
  expect(lifecycle.draining).toBe(true);
  expect(lifecycle.readiness()).toEqual({ ready: false, reasons: ["stopping"] });
});
