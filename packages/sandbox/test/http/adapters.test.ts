/** The two adapters: what they see of hostile requests, what they read, and what they refuse. */
import { createSandboxHandler, type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const SCOPES = { clientId: "example-web", scopes: ["account:profile"] } as const;

/** Sends bytes, and answers the status line. */
const raw = (url: string, head: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(head));
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\r\n")) {
        socket.destroy();
        resolve(text.split("\r\n", 1)[0]!);
      }
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(text));
  });

describe("over sockets", () => {
  let sandbox: RunningSandbox;
  let token: string;
  beforeAll(async () => {
    sandbox = await startSandbox();
    token = await sandbox.token(SCOPES);
  });
  afterAll(() => sandbox.close());

  const statusOf = async (path: string, more = ""): Promise<number> => {
    const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
    return Number((await raw(sandbox.baseUrl, head)).split(" ")[1]);
  };

  it("the Node server sends a body in many pieces without adding a listener for each", async () => {
    const warnings: Array<Error> = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    const { id } = await sandbox.fault({
      match: { endpoint: "profile" },
      fault: { kind: "dribble", bytes: 2, everyMilliseconds: 1 },
    });
    const headers = { authorization: `Bearer ${token}` };
    const body = await (await fetch(`${sandbox.baseUrl}/profile`, { headers })).text();
    expect(body.length).toBeGreaterThan(40);
    await sandbox.control("DELETE", `/faults/${id}`);
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });

  it.each([
    ["/profile", 200],
    ["/a/../profile", 404],
    ["/a/%2e%2e/profile", 404],
    ["/a\\..\\profile", 404],
    ["/profile#x", 404],
    ["//profile", 404],
    ["/profile/", 404],
    ["/%70rofile", 200],
    ["/profile;x", 404],
    ["/league/", 404],
  ])("the Node server answers the raw request target %s with %i", async (path, status) => {
    expect(await statusOf(path)).toBe(status);
  });

  it("the Node server refuses a repeated header of which Node would keep only the first", async () => {
    expect(await statusOf("/profile", "Authorization: Bearer other\r\n")).toBe(400);
    expect(await statusOf("/profile", "Content-Type: a/b\r\nContent-Type: c/d\r\n")).toBe(400);
    expect(await statusOf("/profile", "X-Other: 1\r\nX-Other: 2\r\n")).toBe(200);
  });

  it("the Node server refuses headers that are too long with 431", async () => {
    expect(await statusOf("/profile", `X-Long: ${"x".repeat(20_000)}\r\n`)).toBe(431);
  });

  it("every listener refuses a body beyond its limit, even if no length is announced", async () => {
    const { authUrl, baseUrl, controlUrl } = sandbox;
    const big = "x".repeat(2 * 1024 * 1024);
    const post = async (url: string, body: string | ReadableStream, type: string) => {
      const response = await fetch(url, {
        method: "POST",
        body,
        headers: { "content-type": type, authorization: `Bearer ${token}` },
        duplex: "half",
      } as RequestInit);
      return response.status;
    };
    const form = "application/x-www-form-urlencoded";
    expect(await post(`${authUrl}/oauth/token`, big, form)).toBe(413);
    const url = `${authUrl}/oauth/token`;
    const refused = await fetch(url, { method: "POST", body: "x".repeat(70_000) });
    expect([refused.status, refused.headers.get("date")]).toEqual([413, null]);
    expect(await refused.json()).toMatchObject({ error: "invalid_request" });
    expect(await post(`${baseUrl}/item-filter`, big, "application/json")).toBe(413);
    expect(await post(`${controlUrl}/faults`, big, "application/json")).toBe(413);
    const stream = () =>
      new ReadableStream({
        start: (controller) => {
          for (let sent = 0; sent < 40; sent++)
            controller.enqueue(new TextEncoder().encode("x".repeat(65_536)));
          controller.close();
        },
      });
    await post(`${controlUrl}/faults`, stream(), "application/json").then(
      (status) => expect(status).toBe(413),
      // The connection may be closed before the client has sent everything.
      (cause: Error) => expect(cause.message).toContain("fetch failed"),
    );
    // 200 MB are refused by their announcement: nothing of them has been sent.
    const announced =
      "POST /control/restore HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 200000000\r\n\r\n";
    expect(await raw(controlUrl, announced)).toContain(" 413 ");
    expect((await fetch(`${controlUrl}/health`)).status).toBe(200);
  });
});

describe("without a port", () => {
  it("a sandbox in process serves URLs normalized by `Request`, and refuses too large bodies", async () => {
    await using sandbox = await createSandboxHandler();
    const token = await sandbox.token(SCOPES);
    const statusOf = async (path: string) =>
      (
        await sandbox.fetch(
          new Request(`${sandbox.baseUrl}${path}`, {
            headers: { authorization: `Bearer ${token}` },
          }),
        )
      ).status;
    // A Request resolves dot segments and drops fragments: docs/choices.md.
    for (const path of ["/profile", "/a/../profile", "/a/%2e%2e/profile", "/profile#x"])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    expect(await statusOf("/profile/")).toBe(404);
    const tooLarge = await sandbox.fetch(
      new Request(`${sandbox.controlUrl}/faults`, { method: "POST", body: "x".repeat(2_000_000) }),
    );
    expect(tooLarge.status).toBe(413);
    // A hanging request ends with the client's own time limit.
    await sandbox.fault({ fault: { kind: "hang" } });
    const signal = AbortSignal.timeout(20);
    const hanging = sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`, { signal }));
    await expect(hanging).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
