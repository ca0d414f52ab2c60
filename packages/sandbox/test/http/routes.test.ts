/** Which listener and content coding a request gets. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createSandboxHandler } from "@game-data/sandbox";
import { afterAll, expect, it } from "vitest";
import { listenerOf } from "../../src/http/routes.ts";
import { wordsOf } from "../../src/internal/words.ts";

const sandbox = await createSandboxHandler();
afterAll(() => sandbox.close());
const token = await sandbox.token({ scopes: ["service:leagues"] });
const authorization = `Bearer ${token}`;
const send = (path: string, headers = {}) =>
  sandbox.fetch(new Request(sandbox.baseUrl + path, { headers: { authorization, ...headers } }));

it.each([
  ["auth", "/oauth/token /sign-in /sign-out?x /my/applications //oauth/x"],
  ["control", "/ /? /control /control/x /%63ontrol/x /control;x /control#x /console.js"],
  ["control", "/openapi.json /console.css"],
  ["data", "/profile /oauthx/token /xcontrol /%zz /constructor /a/control"],
])("the %s listener serves the paths %s", (listener, paths) => {
  for (const path of wordsOf(paths)) expect([path, listenerOf(path)]).toEqual([path, listener]);
});

it.each([
  [undefined, null],
  ["", null],
  ["identity, zstd", null],
  ["gzip", "gzip"],
  ["br", "br"],
  ["br, gzip", "gzip"],
  ["gzip;q=0.5, br", "br"],
  [" GZIP ; x=1 ; Q=0.5 , br;q=0.4", "gzip"],
  ["gzip;q=0, br;q=0", null],
  ["*", "gzip"],
  ["*;q=0.1, gzip;q=0", "br"],
  ["*;q=0, br;q=0.1", "br"],
])(
  "for Accept-Encoding %j a body is coded as %s, and a small body is not",
  async (accepted, coding) => {
    const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
    for (const [path, expected] of [
      ["/league", coding],
      ["/league/Nowhere", null],
    ] as const) {
      const response = await send(path, headers);
      const { "content-encoding": coded = null, vary } = Object.fromEntries(response.headers);
      expect([coded, vary]).toEqual([expected, "Accept-Encoding"]);
      const bytes = Buffer.from(await response.arrayBuffer());
      const decode = coded === "gzip" ? gunzipSync : brotliDecompressSync;
      const plain = coded === null ? bytes : decode(bytes);
      expect(JSON.parse(plain.toString())).toEqual(await (await send(path)).json());
    }
  },
);
