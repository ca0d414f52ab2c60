/**
 * Responses of the token endpoint that are cut after each of their bytes. Whatever arrived, a user
 * stays signed in until the access token ends.
 */
import { assert } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { Session } from "../src/index.ts";
import { served, tokenSet } from "./clients.ts";
import { json, tokenBody, type Reply } from "./FakeServer.ts";
import { it } from "./it.ts";

type Policy = NonNullable<Session.SessionOptions["onLostAnswer"]>;

const LIFE_SECONDS = 3600;
/** CI's service part cuts after every byte; elsewhere every 29th has to do. */
const STEP = process.env["REQUIRE_SERVICES"] === "1" ? 1 : 29;

/** Ways of a response to tell its length. */
type Framing = "content-length" | "chunked";
/** The end of a connection. */
type Cut = "reset" | "end";

/** A whole response with new tokens. */
const responseOf = (framing: Framing): string => {
  const pair = { access_token: "AT-new", refresh_token: "RT-new" };
  const body = JSON.stringify(tokenBody({ ...pair, expires_in: LIFE_SECONDS }));
  const [header, framed] =
    framing === "chunked"
      ? ["transfer-encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`]
      : [`content-length: ${body.length}`, body];
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${header}\r\n\r\n${framed}`;
};

/** Sends the first bytes of a response, and ends the connection. */
const cutAfter =
  (text: string, limit: number, cut: Cut): Reply =>
  (_, response) => {
    const { socket } = response;
    socket?.write(text.slice(0, limit), () => {
      if (cut === "end") socket.end();
      // The bytes leave before the reset does.
      else setImmediate(() => socket.resetAndDestroy());
    });
  };

/** Real time for a renewal in the background. */
const untilRenewed = (session: Session.Session) =>
  Effect.promise(async () => {
    while (session.isBusy()) await new Promise((resolve) => setImmediate(resolve));
  });

const runs: ReadonlyArray<readonly [Framing, Cut, Policy, string, number]> = [
  ["content-length", "reset", "resend", "in the background", 180],
  ["content-length", "end", "signIn", "in the background", 180],
  ["chunked", "end", "resend", "while the caller waits", 30],
  ["chunked", "reset", "signIn", "while the caller waits", 30],
];

it.effect.each(runs)(
  "a truncated refresh response leaves the access token usable: %s, ended by %s, policy %s, %s",
  function* ([framing, cut, onLostAnswer, , before]) {
    const { client, server } = yield* served();
    const text = responseOf(framing);
    let now = 0;
    const wait = (seconds: number) => {
      now += seconds * 1000;
      return TestClock.adjust(`${seconds} seconds`);
    };
    /** A user of its own for each cut, whose token is about to end. */
    const open = Effect.fnUntraced(function* (limit: number) {
      const session = Session.forUser(client, { onLostAnswer });
      yield* session.signIn(
        tokenSet({
          accessToken: Redacted.make("AT-old"),
          expiresAt: now + LIFE_SECONDS * 1000,
          issuedAt: now,
        }),
      );
      yield* wait(LIFE_SECONDS - before);
      server.received.length = 0;
      server.reply = cutAfter(text, limit, cut);
      return { session, token: Effect.map(session.accessToken, Redacted.value<string>) };
    });
    for (let limit = 0; limit < text.length; limit += STEP) {
      const { session, token } = yield* open(limit);
      const at = `cut after byte ${limit} of ${text.length}`;
      assert.strictEqual(yield* token, "AT-old", at);
      yield* untilRenewed(session);
      assert.strictEqual((yield* session.status)._tag, "OutcomeUnknown", at);
      assert.strictEqual(yield* token, "AT-old", at);
      yield* wait(before - 1);
      assert.strictEqual(yield* token, "AT-old", at);
      assert.strictEqual(server.received.length, 1, at);
      yield* wait(1);
      // The server had rotated: it takes the old refresh token no more.
      server.reply = json({ error: "invalid_grant" }, 400);
      const late = yield* Effect.flip(token);
      assert.deepInclude(late, { _tag: "InvalidGrant", lostAnswer: true }, at);
      assert.strictEqual(server.received.length, onLostAnswer === "resend" ? 2 : 1, at);
    }
    const whole = yield* open(text.length);
    yield* whole.token;
    yield* untilRenewed(whole.session);
    assert.strictEqual(yield* whole.token, "AT-new");
  },
);
