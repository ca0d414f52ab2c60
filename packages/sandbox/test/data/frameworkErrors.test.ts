import { describe, expect, it } from "vitest";
import { openData } from "./harness.ts";

const sandbox = await openData();

describe("the edge of the data API", () => {
  it("the data API answers any other path with 404 and its error body [NS-06] [NS-09] [NS-13]", async () => {
    const odd = ["/profile/", "/profile/more", "/PROFILE", "/character//x"];
    const absent = ["/v1/profile", "/events", "/webhooks", "/notifications"];
    for (const path of ["/", "/nope", "/stash", ...odd, ...absent]) {
      const { body, status } = await sandbox.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(body).toEqual({ error: { code: 1, message: expect.any(String) } });
    }
  });

  it("the data API answers a wrong method on a known path with 405 and Allow [NS-08]", async () => {
    const cases = [
      ["DELETE", "/profile", "GET, HEAD"],
      ["POST", "/league", "GET, HEAD"],
      ["PUT", "/item-filter/some", "GET, HEAD, POST"],
      ["PATCH", "/stash/console_a/Standard", "GET, HEAD"],
    ] as const;
    for (const [method, path, allow] of cases) {
      const { body, headers, status } = await sandbox.request(path, sandbox.user, { method });
      expect([path, status, headers.get("allow")]).toEqual([path, 405, allow]);
      expect(body.error.code).toBe(9);
    }
  });

  it("the data API answers a method that it does not implement with 501 and a message", async () => {
    const init = { method: "PROPFIND" };
    const { body, status } = await sandbox.request("/profile", sandbox.user, init);
    expect(status).toBe(501);
    expect(body.error.message).toContain("does not implement PROPFIND");
  });

  it("the data API answers HEAD with headers only", async () => {
    const head = (path: string, token?: string) => sandbox.request(path, token, { method: "HEAD" });
    for (const path of ["/profile", "/stash/Standard"]) {
      const { headers, status, text } = await head(path, sandbox.user);
      expect([status, text]).toEqual([204, ""]);
      expect(headers.get("date")).not.toBeNull();
    }
    expect((await head("/profile")).status).toBe(401);
    expect((await head("/league", sandbox.user)).status).toBe(403);
  });

  it("the data API names the invalid part of a request [NS-08]", async () => {
    const message = async (path: string) => (await sandbox.get(path)).body.error.message;
    expect(await message("/league?limit=99")).toMatch(/^Invalid query: .*limit/su);
    expect(await message("/currency-exchange/abc")).toMatch(/^Invalid path: .*id/su);
    expect((await sandbox.post("/item-filter", {})).body.error.message).toMatch(/^Invalid body: /u);
  });

  it("the data API accepts names with any character, and very long names", async () => {
    for (const name of ["a/b", "a?b", "a#b", "ü", "a b", "%", "a+b", "..a", "a".repeat(5000)]) {
      const { body, status } = await sandbox.get(`/character/${encodeURIComponent(name)}`);
      expect([name, status, body]).toEqual([name, 200, { character: null }]);
    }
  });
});
