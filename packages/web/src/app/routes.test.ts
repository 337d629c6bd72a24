import { describe, expect, test } from "vitest";
import { withQuery } from "./router.ts";
import { itemPath, routeOf } from "./routes.ts";

describe("routeOf", () => {
  test.each([
    ["/", "explore", {}],
    ["/items/alien-1979", "item", { id: "alien-1979" }],
    ["/items/alien-1979/", "item", { id: "alien-1979" }],
    ["/items/a%2Fb%20%C3%A9", "item", { id: "a/b é" }],
    ["/you", "you", {}],
    ["/studio", "studio", {}],
    ["/model", "models", {}],
    ["/model/compare", "compare", {}],
    ["/model/384d", "model", { id: "384d" }],
    ["/evaluation", "evaluation", {}],
    ["/items", "nowhere", {}],
    ["/items/", "nowhere", {}],
    ["/items/a/b", "nowhere", {}],
    ["/items/%E0%A4%A", "nowhere", {}],
    ["/unknown", "nowhere", {}],
  ])("%s is %s", (path, screen, params) => {
    expect(routeOf(path)).toEqual({ screen, params });
  });

  test("finds the item of every path that itemPath makes", () => {
    for (const id of ["alien-1979", "a/b", "100%", "?#", "é😀"]) {
      expect(routeOf(new URL(itemPath(id), "http://page").pathname).params).toEqual({ id });
    }
  });
});

describe("withQuery", () => {
  const query = new URLSearchParams("user=u1&popularity=0.2");

  test("keeps what is not named, and takes away what is null", () => {
    expect(withQuery(query, { weights: "plot:2.1,genres:0.3", popularity: null })).toBe(
      "?user=u1&weights=plot:2.1,genres:0.3",
    );
  });

  test("is nothing where nothing is left", () => {
    expect(withQuery(query, { user: null, popularity: "" })).toBe("");
  });
});
