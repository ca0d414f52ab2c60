import { assert, describe } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { type OAuthClient, PkceFlow } from "../src/index.ts";
import { publicClient, startedFlow } from "./clients.ts";
import { checkText } from "./hostile.ts";
import { it } from "./it.ts";
import { observe } from "./sentinels.ts";

const AUTH = "https://auth.example.com";

/** A started flow of a client, and what becomes of an answer to it. */
const open = Effect.fnUntraced(function* (
  options: Partial<OAuthClient.PublicClientOptions> = {},
  authUrl = AUTH,
) {
  const client = yield* publicClient(authUrl, options);
  const flow = yield* startedFlow(client);
  const answered = (input: PkceFlow.CallbackInput, pending = flow.pending) =>
    verdict(PkceFlow.validateCallback(client, pending, input));
  return { ...flow, client, answered };
});

const verdict = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, {
    onSuccess: () => "valid",
    onFailure: (error) => (error as { _tag: string })._tag,
  });

describe("state", () => {
  it.effect("validateCallback refuses a second callback for a copy of a flow", function* () {
    const { answered, callback, pending } = yield* open();
    const copy = PkceFlow.deserialize(PkceFlow.serialize(pending))!;
    yield* answered(callback({ error: "x" }));
    assert.strictEqual(yield* answered(callback({ code: "d" }), copy), "StateMismatch");
  });

  it.effect("the state of a flow expires ten minutes after the start", function* () {
    const early = yield* open();
    const late = yield* open();
    yield* TestClock.adjust("599 seconds");
    assert.strictEqual(yield* early.answered(early.callback({ code: "c" })), "valid");
    yield* TestClock.adjust("1 second");
    assert.strictEqual(yield* late.answered(late.callback({ code: "c" })), "StateMismatch");
  });
});

describe("the callback", () => {
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    valid: {
      "code and state are all it needs": "code=c&state=STATE",
      "unknown parameters are ignored": "code=c&state=STATE&foo=1&foo=2&session_state=x",
      "a fragment changes nothing": "code=c&state=STATE#access_token=evil&error=x",
      "an empty error counts as omitted": "error=&code=c&state=STATE",
      "an iss is ignored when none is configured": "code=c&state=STATE&iss=https://any",
    },
    StateMismatch: {
      "a state is required": "code=c",
      "another state is refused": `code=c&state=${"A".repeat(43)}`,
      "a prefix of the state is refused": "code=c&state=PREFIX",
      "a longer state is refused": "code=c&state=STATEA",
      "the state in lower case is refused": "code=c&state=LOWER",
      "the state is not read from the fragment": "code=c#state=STATE",
      "the state's name is not in capitals": "code=c&STATE=STATE",
      "two states are refused": "code=c&state=STATE&state=STATE",
      "a denial without the state is not believed": "error=access_denied",
      "an error with a wrong state is not believed": "error=server_error&state=x",
    },
    CallbackMalformed: {
      "tokens do not replace the code": "state=STATE&access_token=SENTINEL",
      "nothing is read from the fragment": "state=STATE#code=SENTINEL",
      "two codes are refused": "code=c&code=SENTINEL&state=STATE",
      "two iss are refused": "code=c&iss=a&iss=a&state=STATE",
      "two descriptions are refused": "error=a&error_description=b&error_description=b&state=STATE",
      "no code is refused": "state=STATE",
      "a code with a line break is refused": "code=a%0d%0aX-Evil:%201&state=STATE",
      "a code beyond ASCII is refused": "code=%C3%A9&state=STATE",
    },
    AccessDenied: {
      "a denial is a denial": "error=access_denied&state=STATE",
      "a denial may echo the verifier":
        "error=access_denied&error_description=VERIFIER&state=STATE",
    },
    AuthorizationFailed: {
      "an error with a code is an error": "code=SENTINEL&error=server_error&state=STATE",
      "a description may echo the state": "error=x&error_description=STATE&state=STATE",
      "a description may write to the terminal":
        "error=x&error_description=%1b%5d0;owned%07%0d%0a%e2%80%ae&state=STATE",
      "a description may be HTML":
        "error=x&error_description=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&state=STATE",
      "an error may be a mebibyte long": `error=${"x".repeat(1_048_576)}&state=STATE`,
      "100 000 parameters are read": `${"a=b&".repeat(100_000)}state=STATE&error=x`,
      "keys may be those of prototypes": "__proto__=x&constructor=y&error=z&state=STATE",
    },
  };
  const rows = Object.entries(cases).flatMap(([expected, queries]) =>
    Object.entries(queries).map(([what, query]) => [what, query, expected] as const),
  );
  it.effect.each(rows)(
    "a callback: %s [OA-09, OA-13, OA-14, ER-09, CL-05]",
    function* ([, query, expected]) {
      const { answered, callback, client, pending, state } = yield* open();
      const verifier = Redacted.value(pending.verifier);
      const sent = query
        .replaceAll("VERIFIER", verifier)
        .replaceAll("=PREFIX", `=${state.slice(0, -1)}`)
        .replaceAll("=LOWER", `=${state.toLowerCase()}`)
        .replaceAll("=STATE", `=${state}`);
      const url = `http://127.0.0.1/callback?${sent}`;
      const { exit, text } = yield* observe(PkceFlow.validateCallback(client, pending, url));
      assert.strictEqual(yield* verdict(exit), expected);
      checkText(text, [state, verifier]);
      // A callback of another flow leaves this one open.
      const later = expected === "StateMismatch" ? "valid" : "StateMismatch";
      assert.strictEqual(yield* answered(callback({ code: "c" })), later);
    },
  );

  it.effect("validateCallback accepts a URL, its text, its query or its parameters", function* () {
    const forms: ReadonlyArray<(url: string) => PkceFlow.CallbackInput> = [
      (url) => url,
      (url) => new URL(url),
      (url) => new URL(url).search,
      (url) => new URL(url).search.slice(1),
      (url) => new URL(url).searchParams,
    ];
    for (const form of forms) {
      const { callback, client, pending } = yield* open();
      const input = form(callback({ code: "the code & more" }));
      const valid = yield* PkceFlow.validateCallback(client, pending, input);
      assert.strictEqual(Redacted.value(valid.code), "the code & more");
    }
  });
});

it.effect.each([
  ["of the configured issuer passes", "&iss=https://id.example", "valid"],
  ["of another one is refused", "&iss=https://evil.example", "IssuerMismatch"],
  ["that is missing is refused", "", "IssuerMismatch"],
  ["that is wrong stops a denial too", "&iss=x&error=access_denied", "IssuerMismatch"],
] as const)(
  "with a configured issuer, a callback with an `iss` %s",
  function* ([, suffix, expected]) {
    const { answered, state } = yield* open({ issuer: "https://id.example" });
    assert.strictEqual(yield* answered(`?code=c&state=${state}${suffix}`), expected);
  },
);

it.effect.each([
  ["server", {}, "https://evil.example.com"],
  ["client", { clientId: "another-client" }, AUTH],
] as const)(
  "a callback is refused if another %s than that of its flow checks or exchanges it",
  function* ([, options, authUrl]) {
    const honest = yield* open();
    const evil = yield* open(options, authUrl);
    // The state fits, the flow was started elsewhere.
    for (const [{ answered }, { callback, pending }] of [
      [evil, honest],
      [honest, evil],
    ] as const)
      assert.strictEqual(yield* answered(callback({ code: "c" }), pending), "StateMismatch");
    const { callback, client, pending } = honest;
    const valid = yield* PkceFlow.validateCallback(client, pending, callback({ code: "c" }));
    // A checked callback is exchanged only where its flow was started; nothing is sent.
    const error = yield* Effect.flip(PkceFlow.exchange(evil.client, valid));
    assert.strictEqual(error._tag, "CodeExpired");
  },
);

it.effect("AuthorizationFailed has the server's error and a sanitized description", function* () {
  const { client, pending, state } = yield* open();
  const query = `error=server_error&error_description=busy%0d%0anow&state=${state}`;
  const error = yield* Effect.flip(PkceFlow.validateCallback(client, pending, `?${query}`));
  assert.deepInclude(error, { _tag: "AuthorizationFailed", error: "server_error" });
  assert.match(String(error), /busy now/u);
});
