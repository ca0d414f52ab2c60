import { describe, expect, it } from "vitest";
import { openData } from "./harness.ts";

const PAGE = "https://page.example.com";
const sandbox = await openData({ tokenOrigins: [PAGE], words: { console_a: "box" } });

const ask = (origin: string, init: RequestInit = {}, path = "/profile") =>
  sandbox.request(path, sandbox.user, {
    ...init,
    headers: { origin, ...(init.headers as Record<string, string> | undefined) },
  });
const preflight = { method: "OPTIONS", headers: { "access-control-request-method": "GET" } };

describe("the data API from a browser", () => {
  it("the data API answers a CORS preflight of a configured origin without a token", async () => {
    const { headers, status } = await sandbox.request("/stash/box/Standard", undefined, {
      ...preflight,
      headers: { ...preflight.headers, origin: PAGE },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(headers.get("access-control-allow-headers")).toContain("authorization");
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });

  it("a configured origin may read responses, errors and rate headers of the data API", async () => {
    for (const path of ["/profile", "/nope", "/league"]) {
      const { headers } = await ask(PAGE, {}, path);
      expect(headers.get("access-control-allow-origin")).toBe(PAGE);
      expect(headers.get("access-control-expose-headers")).toMatch(
        /x-rate-limit-policy.*retry-after/iu,
      );
      expect(headers.get("vary")).toMatch(/Origin/u);
    }
  });

  it("responses have no CORS headers for other origins, or if no origin is configured", async () => {
    const other = await ask("https://other.example.com");
    expect(other.headers.has("access-control-allow-origin")).toBe(false);
    expect(other.headers.get("vary")).toMatch(/Origin/u);
    expect((await ask("https://other.example.com", preflight)).status).toBe(405);
    const closed = await openData();
    const answer = await closed.request("/profile", closed.user, { headers: { origin: PAGE } });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
  });
});
