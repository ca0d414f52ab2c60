/** A hostile token endpoint: two of its responses. HostileServer.long.test.ts has all of them. */
import { assert, describe } from "@effect/vitest";
import { Effect, Exit, Redacted } from "effect";
import { PkceFlow, Session, TokenCall, TokenStore } from "../src/index.ts";
import { startedFlow, storedTokens, servedBackend } from "./clients.ts";
import { json } from "./FakeServer.ts";
import { checkCalls, checkText, CODE, good, SECRET } from "./hostile.ts";
import { it } from "./it.ts";
import { observe } from "./sentinels.ts";

describe.concurrent("a hostile token endpoint", () => {
  it.live.each(["redirects to a URL with the secret", "echoes the request as description"])(
    "a server that %s gets typed errors and no secret",
    checkCalls,
  );
});

it.live("a flow that succeeds shows no secret, in no rendering [CL-07, CL-08]", function* () {
  const { client } = yield* servedBackend(json(good), { clientSecret: SECRET });
  const store = TokenStore.memory();
  const session = Session.forUser(client, { store });
  // Not observed: the address holds the state, because it goes to the user's browser.
  const { pending, state, callback: made } = yield* startedFlow(client);
  const { exit, text } = yield* observe(
    Effect.gen(function* () {
      const callback = yield* PkceFlow.validateCallback(client, pending, made({ code: CODE }));
      const tokens = yield* PkceFlow.exchange(client, callback);
      yield* session.signIn(tokens);
      const used = yield* session.withFreshToken(Effect.succeed);
      yield* session.renew(used);
      const stored = yield* storedTokens(store, "backend");
      const serialized = PkceFlow.serialize(pending);
      const back = PkceFlow.deserialize(serialized);
      return { client, pending, serialized, back, callback, tokens, stored, used };
    }),
  );
  assert.isTrue(Exit.isSuccess(exit));
  checkText(text, [state, Redacted.value(pending.verifier)]);
});

it.live("spans keep neither the state of a flow nor the claims of a token", function* () {
  const claims = { active: true, secret: "SENTINEL-claim-0123456789" };
  const { client } = yield* servedBackend(json(claims), { clientSecret: SECRET });
  const states: Array<string> = [];
  const calls = Effect.gen(function* () {
    const { url } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
    states.push(new URL(url).searchParams.get("state")!);
    const token = Redacted.make(CODE);
    const status = yield* TokenCall.introspect(client, token, { using: token });
    assert.strictEqual(status.claims["secret"], claims.secret);
  });
  // The result is not observed, because it is the caller's: `void` here.
  const { exit, text } = yield* observe(calls);
  assert.isTrue(Exit.isSuccess(exit));
  checkText(text, states);
});
