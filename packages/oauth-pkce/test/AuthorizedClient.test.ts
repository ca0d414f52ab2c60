import { assert, describe } from "@effect/vitest";
import { Effect, Stream } from "effect";
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http";
import * as AuthorizedClient from "../src/AuthorizedClient.ts";
import { PkceFlow, Session } from "../src/index.ts";
import { publicClient, validCallback } from "./clients.ts";
import {
  fakeServer,
  inTurn,
  json,
  raw,
  rotating,
  type FakeServer,
  type Reply,
} from "./FakeServer.ts";
import { it } from "./it.ts";

const authorized = Effect.fnUntraced(function* (reply: Reply) {
  const auth = yield* fakeServer(rotating());
  const data = yield* fakeServer(reply);
  const client = yield* publicClient(auth.url);
  const session = Session.forUser(client);
  yield* session.signIn(yield* PkceFlow.exchange(client, yield* validCallback(client)));
  auth.received.length = 0;
  const fetching = yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer);
  const http = AuthorizedClient.make(fetching, session, { baseUrl: data.url });
  return { auth, data, http };
});

const bearers = (server: FakeServer) => server.received.map(({ headers }) => headers.authorization);

describe("the data API's client", () => {
  it.effect("AuthorizedClient sends the token in the header only [CL-08, DA-04]", function* () {
    const { data, http } = yield* authorized(json({}));
    yield* http.get(`${data.url}/profile`);
    yield* http.execute(
      HttpClientRequest.bodyUrlParams(HttpClientRequest.post(`${data.url}/item-filter`), {
        a: "b",
      }),
    );
    assert.deepStrictEqual(bearers(data), ["Bearer AT-1", "Bearer AT-1"]);
    for (const { url, body } of data.received) assert.notInclude(url + body, "AT-1");
  });

  it.effect("AuthorizedClient sends the token to baseUrl's origin only [CL-08]", function* () {
    const other = yield* fakeServer(json({}));
    const { data, http } = yield* authorized(json({}));
    yield* http.get(`${other.url}/profile`, { headers: { authorization: "Bearer AT-1" } });
    yield* http.get(data.url.replace("127.0.0.1", "localhost"));
    assert.deepStrictEqual(bearers(other), [undefined]);
    assert.deepStrictEqual(bearers(data), [undefined]);
  });

  it.effect.each([
    [200, inTurn(raw("", 401), json({ ok: true }))],
    [401, raw("", 401)],
  ] as const)(
    "after a 401, AuthorizedClient refreshes and replays once, body included, and returns %i [CL-11]",
    function* ([status, reply]) {
      const { auth, data, http } = yield* authorized(reply);
      const request = HttpClientRequest.post(`${data.url}/item-filter`);
      const response = yield* http.execute(HttpClientRequest.bodyJsonUnsafe(request, { a: 1 }));
      assert.strictEqual(response.status, status);
      assert.deepStrictEqual(bearers(data), ["Bearer AT-1", "Bearer AT-2"]);
      assert.deepStrictEqual(
        data.received.map(({ body }) => body),
        ['{"a":1}', '{"a":1}'],
      );
      assert.strictEqual(auth.received.length, 1);
    },
  );

  it.effect("AuthorizedClient does not replay a request whose body is a stream", function* () {
    const { auth, data, http } = yield* authorized(raw("", 401));
    const request = HttpClientRequest.bodyStream(
      HttpClientRequest.post(data.url),
      Stream.make(new Uint8Array([1])),
    );
    assert.strictEqual((yield* http.execute(request)).status, 401);
    assert.strictEqual(data.received.length, 1);
    assert.strictEqual(auth.received.length, 0);
  });

  it.effect("AuthorizedClient fails with InsufficientScope after a 403 [CL-12]", function* () {
    for (const [scope, shown] of [
      ["account:stashes", "account:stashes"],
      ["what is AT-1?", "(withheld: it repeats a credential)"],
    ] as const) {
      const challenge = `Bearer realm="data", error="insufficient_scope", scope="${scope}"`;
      const refusal = raw("", 403, { "www-authenticate": challenge });
      const { auth, data, http } = yield* authorized(refusal);
      const error = yield* Effect.flip(http.get(`${data.url}/stash/Standard`));
      assert.deepInclude(error, { _tag: "InsufficientScope", scope: shown });
      assert.deepStrictEqual([data.received.length, auth.received.length], [1, 0]);
      data.reply = raw("", 403);
      assert.strictEqual((yield* http.get(data.url)).status, 403);
    }
  });
});
