import { assert, describe } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { WebCrypto } from "effect/crypto";
import { PkceFlow } from "../src/index.ts";
import { publicClient } from "./clients.ts";
import { it } from "./it.ts";

describe("the verifier", () => {
  it.effect("a PKCE verifier has 43 characters of 32 random bytes [CL-01, CL-02]", function* () {
    const secrets = yield* Effect.replicateEffect(PkceFlow.makeVerifier, 500);
    const verifiers = secrets.map(Redacted.value<string>);
    for (const verifier of verifiers) assert.match(verifier, /^[A-Za-z0-9\-._~]{43}$/);
    assert.strictEqual(new Set(verifiers).size, 500);
  });

  it.effect("PKCE verifier and state come from the platform's CSPRNG only [CL-02]", function* () {
    const asked: Array<number> = [];
    const stub = {
      getRandomValues: (bytes: Uint8Array) => {
        asked.push(bytes.length);
        return bytes.fill(7);
      },
    };
    // The state as well: 256 bits, whole.
    for (const make of [PkceFlow.makeVerifier, PkceFlow.makeState]) {
      const secret = yield* make.pipe(Effect.provide(WebCrypto.layer(stub as never)));
      assert.strictEqual(Redacted.value(secret), Buffer.alloc(32, 7).toString("base64url"));
    }
    assert.deepStrictEqual(asked, [32, 32]);
  });
});

it.effect(
  "codeChallenge returns the challenge of RFC 7636 Appendix B [OA-11, CL-03]",
  function* () {
    const challenge = yield* PkceFlow.codeChallenge(
      Redacted.make("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
    );
    assert.strictEqual(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  },
);

it.effect(
  "the challenge method of every authorization URL is S256, and no option changes it [OA-12]",
  function* () {
    const client = yield* publicClient("https://auth.example.com");
    const { url } = yield* PkceFlow.start(client, {
      scopes: ["account:profile"],
      // @ts-expect-error there is no such option
      codeChallengeMethod: "plain",
    });
    assert.deepStrictEqual(new URL(url).searchParams.getAll("code_challenge_method"), ["S256"]);
    assert.notProperty(PkceFlow, "plain");
  },
);
