import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startSandbox } from "@game-data/sandbox";
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { openData } from "./harness.ts";

const sandbox = await openData();

describe("the edge of the data API", () => {
  it("has no other paths, no versions and no events: 404 in the error shape [NS-06] [NS-09] [NS-13]", async () => {
    const odd = ["/profile/", "/profile/more", "/PROFILE", "/character//x"];
    const absent = ["/v1/profile", "/events", "/webhooks", "/notifications"];
    for (const path of ["/", "/nope", "/stash", ...odd, ...absent]) {
      const { body, status } = await sandbox.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(body).toEqual({ error: { code: 1, message: expect.any(String) } });
    }
  });

  it("answers a wrong method on a known path with 405 and Allow [NS-08]", async () => {
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

  it("answers a method that it does not implement with 501, and says so", async () => {
    const init = { method: "PROPFIND" };
    const { body, status } = await sandbox.request("/profile", sandbox.user, init);
    expect(status).toBe(501);
    expect(body.error.message).toContain("does not implement PROPFIND");
  });

  it("answers HEAD with the headers alone", async () => {
    const head = (path: string, token?: string) => sandbox.request(path, token, { method: "HEAD" });
    for (const path of ["/profile", "/stash/Standard"]) {
      const { headers, status, text } = await head(path, sandbox.user);
      expect([status, text]).toEqual([204, ""]);
      expect(headers.get("date")).not.toBeNull();
    }
    expect((await head("/profile")).status).toBe(401);
    expect((await head("/league", sandbox.user)).status).toBe(403);
  });

  it("names what is wrong with a request [NS-08]", async () => {
    const message = async (path: string) => (await sandbox.get(path)).body.error.message;
    expect(await message("/league?limit=99")).toMatch(/^Invalid query: .*limit/su);
    expect(await message("/currency-exchange/abc")).toMatch(/^Invalid path: .*id/su);
    expect((await sandbox.post("/item-filter", {})).body.error.message).toMatch(/^Invalid body: /u);
  });

  it("takes names with every character, and very long ones", async () => {
    for (const name of ["a/b", "a?b", "a#b", "ü", "a b", "%", "a+b", "..a", "a".repeat(5000)]) {
      const { body, status } = await sandbox.get(`/character/${encodeURIComponent(name)}`);
      expect([name, status, body]).toEqual([name, 200, { character: null }]);
    }
  });

  it("sends bodies gzipped or with brotli to whoever takes them, and plain to others", async () => {
    const running = await startSandbox({ world: { streamPageSize: 20 } });
    try {
      const account = running.accounts[0]!.name;
      const scopes = ["account:stashes", "service:psapi"] as const;
      const authorization = `Bearer ${await running.token({ clientId: "example-web", account, scopes })}`;
      // node:http leaves bodies as they come.
      const raw = async (path: string, coding?: string) => {
        const headers = {
          authorization,
          ...(coding !== undefined && { "accept-encoding": coding }),
        };
        const sent = httpRequest(`${running.baseUrl}${path}`, { headers }).end();
        const [answer] = (await once(sent, "response")) as [IncomingMessage];
        const { vary, "content-encoding": used } = answer.headers;
        return { coding: used, vary, bytes: Buffer.concat(await answer.toArray()) };
      };
      for (const path of ["/stash/Standard", "/public-stash-tabs", "/public-stash-tabs"]) {
        const plain = await raw(path);
        expect(plain.coding).toBeUndefined();
        const gzip = await raw(path, "gzip, deflate");
        expect([gzip.coding, gzip.vary]).toEqual(["gzip", "Accept-Encoding"]);
        expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
        expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 2);
        const brotli = await raw(path, "gzip;q=0.5, br");
        expect(brotli.coding).toBe("br");
        expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes);
      }
    } finally {
      await running.close();
    }
  });
});
