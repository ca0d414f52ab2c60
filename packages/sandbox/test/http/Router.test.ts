/** Which listener, route and content coding a request gets, and how large its body may be. */
import { describe, expect, it } from "vitest";
import { codingOf } from "../../src/http/contentEncoding.ts";
import { listenerOf } from "../../src/http/Listener.ts";
import { bodyLimit, pathOf, plain, queryOf, type RequestInput } from "../../src/http/messages.ts";
import { Router } from "../../src/http/Router.ts";
import { wordsOf } from "../../src/internal/wordsOf.ts";

describe("a path", () => {
  const templates = wordsOf("/ /a/:id? /a/list /a/:realm(x|y)/:id /a/:b/list /f.json");
  const router = new Router([
    ...templates.map((template) => ({ method: "GET", template })),
    { method: "PUT", template: "/a/:other" },
  ]);

  it.each([
    ["/", "/", {}],
    ["/a", "/a/:id?", {}],
    ["/a/1", "/a/:id?", { id: "1" }],
    ["/a/x%2Fy\n", "/a/:id?", { id: "x/y\n" }],
    ["/a/list", "/a/list", {}],
    ["/a/l%69st", "/a/list", {}],
    ["/a/x/1", "/a/:realm(x|y)/:id", { realm: "x", id: "1" }],
    ["/a/%79/1", "/a/:realm(x|y)/:id", { realm: "y", id: "1" }],
    // A word is preferred to any text, wherever a literal stands behind it.
    ["/a/x/list", "/a/:realm(x|y)/:id", { realm: "x", id: "list" }],
    ["/a/xy/list", "/a/:b/list", { b: "xy" }],
    ["/f.json", "/f.json", {}],
  ])("%j is of %s, with %j", (path, template, params) => {
    const found = router.find("GET", path);
    expect([found?.route.template, found?.params]).toEqual([template, params]);
    expect(router.find("HEAD", path)).toEqual(found);
    expect(router.find("POST", path)).toBeUndefined();
  });

  it.each(["", "a", "a/1", "/a/", "//a", "/a//1", "/a#", "/a/%", "/a/z/1", "/a/x/1/2", "/fxjson"])(
    "%j is of none",
    (path) => {
      expect([router.find("GET", path), router.methods(path)]).toEqual([undefined, []]);
    },
  );

  it("tells its methods, each once", () => {
    expect(router.methods("/a/list")).toEqual(["GET", "PUT"]);
    expect(router.methods("/a/x/list")).toEqual(["GET"]);
  });
});

it.each([
  ["auth", "/oauth/token /sign-in /sign-out?x /my/applications //oauth/x"],
  ["control", "/ /? /control /control/x /%63ontrol/x /control;x /control#x /console.js"],
  ["control", "/openapi.json /console.css"],
  ["data", "/profile /oauthx/token /xcontrol /%zz /constructor /a/control"],
])("the %s listener serves %s", (listener, paths) => {
  for (const path of wordsOf(paths)) expect([path, listenerOf(path)]).toEqual([path, listener]);
});

it.each([
  ["/control/restore", 64 * 1024 * 1024],
  ["/control/restore/x", 1024 * 1024],
  ["/control/faults", 1024 * 1024],
  ["/item-filter/1", 1024 * 1024],
  ["/x/control/", 64 * 1024],
  ["/oauth/token", 64 * 1024],
])("%s takes a body of %i bytes, whatever its query", (path, limit) => {
  for (const url of [path, `${path}?a?b=/control/restore`]) expect(bodyLimit(url)).toBe(limit);
  expect([pathOf(path), queryOf(path)]).toEqual([path, ""]);
  expect([pathOf(`${path}?a?b`), queryOf(`${path}?a?b`)]).toEqual([path, "a?b"]);
});

it.each([
  [undefined, "identity"],
  ["", "identity"],
  ["identity, zstd", "identity"],
  ["gzip", "gzip", "gzip"],
  ["br", "br"],
  ["br, gzip", "gzip", "gzip"],
  ["gzip;q=0.5, br", "br", "gzip"],
  [" GZIP ; x=1 ; Q=0.5 , br;q=0.4", "gzip", "gzip"],
  ["gzip;q=0, br;q=0", "identity"],
  ["*", "gzip", "gzip"],
  ["*;q=0.1, gzip;q=0", "br"],
  ["*;q=0, br;q=0.1", "br"],
])("who accepts %j gets %s", (header, coding, withoutBrotli = "identity") => {
  const request = { header: () => header } as Pick<RequestInput, "header"> as RequestInput;
  const page = { ...plain("x".repeat(1024)), mayCompress: true };
  expect(codingOf(request, page, ["gzip", "br"])).toBe(coding);
  expect(codingOf(request, page, ["gzip"])).toBe(withoutBrotli);
  for (const other of [{ body: "x".repeat(1023) }, { mayCompress: false }])
    expect(codingOf(request, { ...page, ...other }, ["gzip", "br"])).toBe("identity");
});
