/** Bodies that are nearly, or not at all, what was announced. */
import { describe, expect, it } from "vitest";
import { undiciTransport } from "../src/undici.ts";
import { useServer } from "./server.ts";

const server = useServer((response) => response.end());

describe.each([false, true])("over undici: %s", (isUndici) => {
  const list = (body: string) => {
    server.answer = (response) =>
      response.writeHead(200, { "content-length": Buffer.byteLength(body) }).end(body);
    return server.api(isUndici ? { transport: undiciTransport() } : {}).leagues.list();
  };

  it("a byte order mark is no part of the text", async () => {
    expect(await list('\uFEFF{"leagues":[]}')).toEqual([]);
  });

  it("what is not JSON is told by its first characters, and none of them acts on a terminal", async () => {
    const page = `<html>\u001B[31m Down for maintenance, ${"x".repeat(100)}</html>`;
    await expect(list(page)).rejects.toMatchObject({
      _tag: "ResponseMalformed",
      kind: "not-json",
      issue: 'not JSON: "<html>?[31m Down for maintenance, xxxxxx"…',
    });
  });
});
