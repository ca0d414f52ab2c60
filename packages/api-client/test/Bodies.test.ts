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
});
