/** A hostile token endpoint: two of its responses. HostileServer.long.test.ts has all of them. */
import { assert, describe } from "@effect/vitest";
import { Effect, Exit, Redacted } from "effect";
import { PkceFlow, Session, TokenCall, TokenStore } from "../src/index.ts";
import { startedFlow, storedTokens, servedBackend } from "./clients.ts";
import { json, type Reply } from "./FakeServer.ts";
import { checkCalls, checkText, CODE, good, SECRET } from "./hostile.ts";
import { it } from "./it.ts";
import { observe } from "./sentinels.ts";

describe.concurrent("a hostile token endpoint", () => {
  it.live.each(["redirects to a URL with the secret", "echoes the request as description"])(
    "a token endpoint that %s causes only typed errors, which show no secret",
    checkCalls,
  );
});

it.live(
  "the values and spans of a successful flow show no secret when printed [CL-07, CL-08]",
  function* () {
    const claims = { active: true, secret: "SENTINEL-claim-0123456789" };
    const reply: Reply = (request, ...rest) =>
      json(request.url.endsWith("introspect") ? claims : good)(request, ...rest);
    const { client } = yield* servedBackend(reply, { clientSecret: SECRET });
    const store = TokenStore.memory();
    const session = Session.forUser(client, { store });
    const secrets: Array<string> = [];
    const { exit, text } = yield* observe(
      Effect.gen(function* () {
        // The address holds the state, because it goes to the user's browser.
        const { pending, state, callback: made } = yield* startedFlow(client);
        secrets.push(state, Redacted.value(pending.verifier));
        const callback = yield* PkceFlow.validateCallback(client, pending, made({ code: CODE }));
        const tokens = yield* PkceFlow.exchange(client, callback);
        yield* session.signIn(tokens);
        const used = yield* session.withFreshToken(Effect.succeed);
        const using = yield* session.renew(used);
        const status = yield* TokenCall.introspect(client, used, { using });
        assert.strictEqual(status.claims["secret"], claims.secret);
        const stored = yield* storedTokens(store, "backend");
        const serialized = PkceFlow.serialize(pending);
        const back = PkceFlow.deserialize(serialized);
        return { client, pending, serialized, back, callback, tokens, stored, used };
      }),
    );
    assert.isTrue(Exit.isSuccess(exit));
    checkText(text, secrets);
  },
);
