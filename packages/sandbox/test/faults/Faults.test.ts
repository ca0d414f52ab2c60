import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { constants, gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Fault } from "../../src/faults/Fault.ts";
import { createSandboxHandler } from "../../src/Sandbox.ts";
import { NOON, open, type Tools, toolsFor } from "../control/harness.ts";

let sandbox: Tools;
let token: string;

beforeAll(async () => {
  sandbox = await open({ world: { streamPageSize: 20 } });
  token = await sandbox.serviceToken();
});

afterAll(() => sandbox.close());

afterEach(async () => {
  await sandbox.ask("DELETE", "/faults");
});

const with_ = (fault: Fault) => sandbox.addFault({ fault });

interface Arrived {
  status?: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
  complete: boolean;
  error?: string;
}

/** Reads what arrives over one connection: head, bytes of the body, and how it ended. */
const rawGet = (path: string, headers: Record<string, string> = {}) =>
  new Promise<Arrived>((resolve) => {
    const arrived: Arrived = { headers: {}, body: Buffer.alloc(0), complete: false };
    const fail = ({ code, message }: NodeJS.ErrnoException) => {
      arrived.error = code ?? message;
    };
    httpRequest(`${sandbox.baseUrl}${path}`, {
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
      .on("error", (cause) => {
        fail(cause);
        resolve(arrived);
      })
      .on("response", (response) => {
        Object.assign(arrived, { status: response.statusCode, headers: response.headers });
        response.on("data", (chunk: Buffer) => {
          arrived.body = Buffer.concat([arrived.body, chunk]);
        });
        response.on("error", fail);
        response.on("close", () => resolve({ ...arrived, complete: response.complete }));
      })
      .end();
  });

it("a fault matches token requests by a client id that is only in the form", async () => {
  const match = { clientId: "example-desktop", grantType: "refresh_token" } as const;
  await sandbox.fault({ match, fault: { kind: "status", status: 503 } });
  const statusOf = async (client_id: string) => {
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: "x",
      client_id,
    });
    return (await fetch(`${sandbox.authUrl}/oauth/token`, { method: "POST", body })).status;
  };
  expect([await statusOf("example-desktop"), await statusOf("example-tablet")]).toEqual([503, 400]);
});

const read = async (path: string, bearer?: string): Promise<any> =>
  (await sandbox.get(path, bearer)).json();

describe("faults of a JSON body", () => {
  it("the fault `merge` changes responses of an endpoint by a merge patch, but no errors (RFC 7396)", async () => {
    const patch = { league: { name: "Other", rules: null, category: { id: "Other" } } };
    const { league } = await read("/league/Standard", token);
    await sandbox.addFault({
      match: { endpoint: "leagues.get" },
      fault: { kind: "merge", patch },
    });
    const { rules: _, ...kept } = league;
    const category = { ...league.category, id: "Other" };
    const merged = await read("/league/Standard", token);
    expect(merged).toEqual({ league: { ...kept, name: "Other", category } });
    expect((await read("/league", token)).leagues[0].name).toBe("Standard");
    expect((await read("/league/Standard")).error.code).toBe(8);
  });

  it("the fault `members` adds members to records, but not to dictionaries, and replaces words", async () => {
    await with_({ kind: "members", add: { extra: 1 }, words: { realm: "other" } });
    const { extra, league } = await read("/league/Standard", token);
    expect([extra, league.extra, league.category.extra, league.rules]).toEqual([1, 1, 1, []]);
    expect([league.realm, league.name]).toEqual(["other", "Standard"]);
    const [market] = (await read("/currency-exchange", token)).markets;
    expect(market.extra).toBe(1);
    expect(Object.keys(market.volume_traded)).toHaveLength(2);
  });

  it("the fault `nulls` sets named or all optional members to null, except the result and errors", async () => {
    const { league } = await read("/league/Standard", token);
    await with_({ kind: "nulls", members: ["description", "goal"] });
    expect(await read("/league/Standard", token)).toEqual({
      league: { ...league, description: null },
    });
    await sandbox.ask("DELETE", "/faults");
    await with_({ kind: "nulls" });
    const { league: all } = await read("/league/Standard", token);
    expect([all.id, Object.values(all).includes(null)]).toEqual(["Standard", true]);
    expect((await read("/league/Standard")).error.code).toBe(8);
  });

  it("the fault `nullResult` replaces a single object by null, but changes no list", async () => {
    await with_({ kind: "nullResult" });
    expect(await read("/league/Standard", token)).toEqual({ league: null });
    expect((await read("/league", token)).leagues.length).toBeGreaterThan(0);
  });

  it("a fault on a cached page changes only the responses that it matches", async () => {
    const text = async () => (await sandbox.get("/public-stash-tabs", token)).text();
    const honest = await text();
    await sandbox.addFault({ when: { count: 1 }, fault: { kind: "duplicateChanges" } });
    expect((await text()).length).toBeGreaterThan(honest.length);
    expect(await text()).toBe(honest);
    const coded = await rawGet("/public-stash-tabs", { "accept-encoding": "gzip" });
    expect(gunzipSync(coded.body).toString()).toBe(honest);
  });
});

describe("faults in the place of an answer", () => {
  it.each([
    ["seconds", 30, "30"],
    ["zero", 0, "0"],
    ["a fraction", 1.5, "1.5"],
    ["an absurd number", 99_999_999_999, "99999999999"],
    ["a negative number", -5, "-5"],
    ["a date on the virtual clock", { date: 90 }, "Sun, 01 Mar 2026 12:01:30 GMT"],
    ["a date in the past", { date: -60 }, "Sun, 01 Mar 2026 11:59:00 GMT"],
    ["any text", "in a while", "in a while"],
  ] as const)("the fault `status` sends Retry-After: %s", async (_, retryAfter, header) => {
    await with_({ kind: "status", status: 503, retryAfter });
    const response = await sandbox.get("/league", token);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe(header);
    expect(await response.json()).toMatchObject({ error: { code: 7 } });
  });

  it("the fault `status` 429 has its own error body, and no rate headers", async () => {
    await with_({ kind: "status", status: 429 });
    const response = await sandbox.get("/league", token);
    const names = [...response.headers.keys()];
    expect(names.filter((name) => /rate|retry/u.test(name))).toEqual([]);
    expect(await response.json()).toMatchObject({ error: { code: 3 } });
  });

  it("the fault `status` may have its own body and headers", async () => {
    await with_({ kind: "status", status: 500, body: "oops", headers: { "X-Trace": "1" } });
    const response = await sandbox.get("/league", token);
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect(response.headers.get("x-trace")).toBe("1");
    expect(await response.text()).toBe("oops");
  });

  it("the fault `status` answers with an OAuth error at the OAuth endpoints", async () => {
    await sandbox.addFault({
      match: { endpoint: "oauth.token" },
      fault: { kind: "status", status: 503 },
    });
    const response = await fetch(`${sandbox.authUrl}/oauth/token`, { method: "POST" });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: "temporarily_unavailable" });
  });

  it("the fault `firewallPage` answers with a firewall's challenge page, without headers of the service", async () => {
    await with_({ kind: "firewallPage" });
    const response = await sandbox.get("/league", token);
    expect(response.status).toBe(403);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(response.headers.get("cf-mitigated")).toBe("challenge");
    expect(response.headers.get("x-rate-limit-policy")).toBeNull();
    expect(await response.text()).toMatch(/^<!DOCTYPE html>/u);
  });

  it("the fault `reset` resets the connection instead of answering", async () => {
    await with_({ kind: "reset" });
    const { error, status } = await rawGet("/league");
    expect([status, error]).toEqual([undefined, "ECONNRESET"]);
    await sandbox.ask("DELETE", "/faults");
    expect((await rawGet("/league")).status).toBe(200);
  });

  it("the fault `hang` sends no response until the client gives up", async () => {
    await with_({ kind: "hang" });
    const signal = AbortSignal.timeout(150);
    await expect(sandbox.get("/league", token, { signal })).rejects.toThrow("timeout");
    const newest = async () => (await sandbox.journal("?limit=1"))[0];
    await expect
      .poll(newest)
      .toMatchObject({ status: null, endpoint: "leagues.list", faults: ["fault-1"] });
  });
});

describe("faults of an answer", () => {
  it("the fault `delay` delays the response", async () => {
    await with_({ kind: "delay", milliseconds: 120, jitterMilliseconds: 20 });
    const begun = performance.now();
    const response = await sandbox.get("/league", token);
    expect(response.status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(115);
  });

  it("the fault `dribble` sends all bytes in small pieces", async () => {
    const whole = await (await sandbox.get("/league?limit=1", token)).text();
    await with_({ kind: "dribble", bytes: Math.ceil(whole.length / 4), everyMilliseconds: 40 });
    const begun = performance.now();
    const response = await sandbox.get("/league?limit=1", token);
    expect(await response.text()).toBe(whole);
    expect(performance.now() - begun).toBeGreaterThan(140);
  });

  it.each([
    ["with a connection that ends by close", 100, "close", 100],
    ["with a connection that is reset", 100, "reset", undefined],
    ["by one byte at least, wherever the cut is asked for", 1_000_000_000, "close", -1],
    ["before its first byte", 0, "close", 0],
  ] as const)("the fault `truncate` cuts the body, %s", async (_, atByte, ending, sent) => {
    const whole = await rawGet("/league");
    await with_({ kind: "truncate", atByte, ending });
    const cut = await rawGet("/league");
    expect([cut.complete, cut.error]).toEqual([false, "ECONNRESET"]);
    // After a reset, what had arrived may be gone.
    if (sent === undefined) return;
    expect(cut.headers["content-length"]).toBe(String(whole.body.length));
    expect(cut.body).toEqual(whole.body.subarray(0, sent));
  });

  it("the fault `contentLength` announces too many bytes, or too few", async () => {
    const whole = await rawGet("/league");
    await with_({ kind: "contentLength", differsBy: 10 });
    const long = await rawGet("/league");
    expect(long.headers["content-length"]).toBe(String(whole.body.length + 10));
    expect(long.complete).toBe(false);
    expect(long.body).toEqual(whole.body);
    await sandbox.ask("DELETE", "/faults");
    await with_({ kind: "contentLength", differsBy: -10 });
    // Bytes beyond the announced length are no longer HTTP, and Node's parser says so.
    expect((await rawGet("/league")).error).toMatch(/^HPE_/u);
  });

  it("the fault `malformedJson` damages the body of an otherwise valid response", async () => {
    await with_({ kind: "malformedJson" });
    const response = await sandbox.get("/public-stash-tabs", token);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('"next_change_id"');
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it("the fault `gzipCut` ends a gzip stream early", async () => {
    await with_({ kind: "gzipCut" });
    const cut = await rawGet("/public-stash-tabs", { "accept-encoding": "gzip" });
    expect(cut.complete).toBe(true);
    expect(cut.headers["content-encoding"]).toBe("gzip");
    expect(() => gunzipSync(cut.body)).toThrow("unexpected end of file");
  });

  it("the fault `headers` adds and removes headers", async () => {
    await with_({
      kind: "headers",
      set: { "X-Rate-Limit-Policy": "other" },
      remove: ["X-Rate-Limit-Rules"],
    });
    const { headers } = await sandbox.get("/league", token);
    expect(headers.get("x-rate-limit-policy")).toBe("other");
    expect(headers.get("x-rate-limit-rules")).toBeNull();
  });
});

interface Page {
  readonly next_change_id: string | number;
  readonly stashes?: ReadonlyArray<{ readonly id: string }>;
}

describe("faults of the streams", () => {
  const page = async (id?: string): Promise<Page> => {
    const query = id === undefined ? "" : `?id=${id}`;
    return (await sandbox.get(`/public-stash-tabs${query}`, token)).json() as Promise<Page>;
  };

  it("the fault `changeId` same repeats the requested id, with data", async () => {
    const first = await page();
    const id = String(first.next_change_id);
    const second = await page(id);
    await with_({ kind: "changeId", mode: "same" });
    expect(await page(id)).toEqual({ ...second, next_change_id: id });
  });

  it("the fault `changeId` backwards returns an id that was requested before, also after a long wait", async () => {
    const a = String((await page()).next_change_id);
    const b = String((await page(a)).next_change_id);
    await sandbox.addFault({ when: { nth: 42 }, fault: { kind: "changeId", mode: "backwards" } });
    await page(a);
    for (let poll = 2; poll < 42; poll++) await page(b);
    expect((await page(b)).next_change_id).toBe(a);
    expect((await page(b)).next_change_id).not.toBe(a);
  });

  it("the fault `changeId` backwards ignores ids that were requested before the rules were removed", async () => {
    const a = String((await page()).next_change_id);
    const b = String((await page(a)).next_change_id);
    await sandbox.addFault({ when: { nth: 9 }, fault: { kind: "changeId", mode: "backwards" } });
    await page(a);
    await sandbox.control("DELETE", "/faults");
    const honest = (await page(b)).next_change_id;
    await with_({ kind: "changeId", mode: "backwards" });
    expect((await page(b)).next_change_id).toBe(honest);
  });

  it("the fault `duplicateChanges` lists every change twice", async () => {
    const honest = await page();
    await with_({ kind: "duplicateChanges" });
    const doubled = await page();
    expect(doubled.stashes).toHaveLength(2 * (honest.stashes?.length ?? 0));
    expect(new Set(doubled.stashes?.map(({ id }) => id)).size).toBe(
      new Set(honest.stashes?.map(({ id }) => id)).size,
    );
  });

  it("the fault `changeId` set returns a given id, which is a number in the exchange", async () => {
    await with_({ kind: "changeId", mode: "set", id: "3600" });
    const response = await sandbox.get("/currency-exchange", token);
    expect(await response.json()).toMatchObject({ next_change_id: 3600 });
  });
});

describe("faults together", () => {
  it("faults hit requests by route, client and count, and no other requests", async () => {
    await sandbox.addFault({
      match: { route: "/league/:league", clientId: "example-service" },
      when: { count: 1 },
      fault: { kind: "status", status: 500 },
    });
    const web = await sandbox.tokenOf("example-web", ["service:leagues"]);
    const seen = [
      (await sandbox.get("/league", token)).status,
      (await sandbox.get("/league/Standard", web)).status,
      (await sandbox.get("/league/Standard", token)).status,
      (await sandbox.get("/league/Standard", token)).status,
    ];
    expect(seen).toEqual([200, 200, 500, 200]);
  });

  it("faults edit a page before they corrupt its bytes, in whatever order they were added", async () => {
    await with_({ kind: "gzipCut", fraction: 0.9 });
    await with_({ kind: "malformedJson" });
    await with_({ kind: "changeId", mode: "set", id: "0-0-0-0-0" });
    const { body, headers, status } = await rawGet("/public-stash-tabs");
    expect(status).toBe(200);
    expect(headers["content-encoding"]).toBe("gzip");
    const head = gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }).toString("utf8");
    expect(head).toContain('"next_change_id":"0-0-0-0-0"');
  });

  it("a response of a fault does not count against rate limits", async () => {
    const before = (await sandbox.get("/league", token)).headers.get("x-rate-limit-client-state");
    await with_({ kind: "status", status: 429 });
    await sandbox.get("/league", token);
    await sandbox.ask("DELETE", "/faults");
    const after = (await sandbox.get("/league", token)).headers.get("x-rate-limit-client-state");
    const hits = (state: string | null) => Number(state?.split(":", 1)[0]);
    expect(hits(after)).toBe(hits(before) + 1);
  });

  it("a fault for every request does not affect the control plane", async () => {
    await with_({ kind: "reset" });
    expect((await sandbox.control("GET", "/ready")).status).toBe(200);
  });
});

describe("faults without a port", () => {
  it("in process, faults that need a connection answer 501, and other faults work", async () => {
    const inProcess = toolsFor(await createSandboxHandler({ now: NOON }));
    const own = await inProcess.serviceToken();
    for (const [fault, expected, text] of [
      [{ kind: "reset" }, 501, 'The fault \\"reset\\" needs a real connection'],
      [{ kind: "truncate", atByte: 10 }, 501, 'The fault \\"truncate\\" needs'],
      [{ kind: "contentLength", differsBy: 1 }, 501, 'The fault \\"contentLength\\" needs'],
      [{ kind: "firewallPage" }, 403, "<!DOCTYPE html>"],
      [{ kind: "dribble", bytes: 50, everyMilliseconds: 1 }, 200, "leagues"],
      [{ kind: "malformedJson" }, 200, "\u0000"],
    ] as const) {
      await inProcess.ask("DELETE", "/faults");
      await inProcess.addFault({ fault });
      const response = await inProcess.get("/league", own);
      expect(response.status).toBe(expected);
      expect(await response.text()).toContain(text);
    }
    await inProcess.close();
  });
});
