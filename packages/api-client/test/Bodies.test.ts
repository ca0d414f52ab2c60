/** Bodies that are nearly, or not at all, what was announced. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGameApi } from "../src/promise.ts";
import { undiciTransport } from "../src/undici.ts";

let body = "";
const server = createServer((_, response) => {
  const bytes = Buffer.from(body);
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  response.end(bytes);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const client = (isUndici: boolean) =>
  createGameApi({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
    ...(isUndici && { transport: undiciTransport() }),
  });

describe.each([false, true])("over undici: %s", (isUndici) => {
  it("a byte order mark is no part of the text", async () => {
    body = '\uFEFF{"leagues":[]}';
    const api = client(isUndici);
    expect(await api.leagues.list()).toEqual([]);
    await api.close();
  });

  it("what is not JSON is told by its first characters, and none of them acts on a terminal", async () => {
    body = `<html>\u001B[31m Down for maintenance, ${"x".repeat(100)}</html>`;
    const api = client(isUndici);
    await expect(api.leagues.list()).rejects.toMatchObject({
      _tag: "ResponseMalformed",
      kind: "not-json",
      issue: 'not JSON: "<html>?[31m Down for maintenance, xxxxxx"…',
    });
    await api.close();
  });
});
