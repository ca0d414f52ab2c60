/**
 * `gamedata doctor`: looks at everything that a command needs, and says what to repair.
 */
import { existsSync } from "node:fs";
import { Clock, Effect } from "effect";
import { Command } from "effect/cli";
import { connection } from "../Api.ts";
import { Failure, failure } from "../Failure.ts";
import { type PackageError, toFailure } from "../Failures.ts";
import { clean, print, styled } from "../Output.ts";
import { connected, required, settings, type Settings } from "../Settings.ts";

interface Finding {
  readonly check: string;
  readonly state: "good" | "doubtful" | "bad";
  readonly finding: string;
  readonly next?: string;
  readonly code?: string;
}

/** What a check finds: a sentence, or a sentence and a doubt. */
type Found = string | Pick<Finding, "finding" | "next">;

/** The command. */
export const doctorCommand = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const from = yield* settings;
    const checks: ReadonlyArray<readonly [string, Effect.Effect<Found, Failure | PackageError>]> = [
      ["settings", Effect.sync(() => settingsOf(from))],
      ["contact", Effect.sync(() => contactOf(from))],
      ["token store", storeOf(from)],
      ["loopback", Effect.scoped(loopback)],
      ["OAuth server", answers(from, "authUrl")],
      ["data API", answers(from, "baseUrl")],
      ["sign-in", signedIn(from)],
    ];
    const findings: Array<Finding> = [];
    let first: Failure | undefined;
    for (const [check, run] of checks) {
      const finding = yield* Effect.match(run, {
        onSuccess: (found): Finding =>
          typeof found === "string"
            ? { check, state: "good", finding: found }
            : { check, state: "doubtful", ...found },
        onFailure: (error): Finding => {
          const problem = error instanceof Failure ? error : toFailure(error);
          first ??= problem;
          const { code, message, next } = problem;
          return { check, state: "bad", finding: message, code, ...(next && { next }) };
        },
      });
      findings.push(finding);
    }
    yield* print(findings, (all) => all.map(described).join("\n"));
    // The findings tell it already; the exit code is that of the first thing to repair.
    if (first !== undefined)
      return yield* failureOf(first, findings.filter(({ state }) => state === "bad").length);
  }),
).pipe(
  Command.withDescription("Check settings, addresses, clock, token store and sign-in"),
  connected,
);

const failureOf = (first: Failure, count: number) =>
  new Failure({
    code: first.code,
    exitCode: first.exitCode,
    message: count === 1 ? "One thing needs repair." : `${count} things need repair.`,
  });

const described = ({ check, finding, next, state }: Finding): string => {
  const mark = {
    good: styled("green", "✓"),
    doubtful: styled("yellow", "!"),
    bad: styled("red", "✗"),
  }[state];
  const line = `${mark} ${check.padEnd(WIDTH)}  ${clean(finding)}`;
  return next === undefined ? line : `${line}\n  ${" ".repeat(WIDTH)}  → ${clean(next)}`;
};

const WIDTH = 12;

const settingsOf = ({ file, sources }: Settings): string => {
  const given = Object.entries(sources).filter(([, source]) => source !== "default");
  const told = given.map(([name, source]) => `${name} (${source})`).join(", ");
  return `${told || "none given"}; ${existsSync(file) ? "" : "no "}file ${file}`;
};

const contactOf = ({ contact, sources }: Settings): Found =>
  sources["contact"] === "default"
    ? {
        finding: "the service's staff cannot reach you",
        next: "set GAME_DATA_CONTACT to an address of yours; it becomes part of the User-Agent",
      }
    : contact;

const storeOf = Effect.fnUntraced(function* (from: Settings) {
  const { probe, tokenStore } = yield* connection;
  yield* Effect.flatMap(tokenStore(from), probe);
  return `${from.tokens}: can be read, written and locked`;
});

const loopback = Effect.gen(function* () {
  const { LoopbackReceiver } = yield* Effect.promise(() => import("@game-data/oauth-pkce/node"));
  yield* LoopbackReceiver.make();
  return "a browser on this machine can come back";
});

/** Clocks that differ by more than this make tokens look fresh that are not. */
const MAX_SKEW_SECONDS = 60;

const answers = Effect.fnUntraced(function* (from: Settings, name: "authUrl" | "baseUrl") {
  const address = yield* required(from, name);
  const response = yield* Effect.tryPromise({
    try: () => fetch(address, { redirect: "manual", signal: AbortSignal.timeout(10_000) }),
    catch: (cause) => {
      const { cause: deeper, message } = cause as Error;
      const reason = deeper instanceof Error ? deeper.message : message;
      return failure("unreachable", `${address} does not answer: ${reason || message}`, {
        next: `check ${name}, the network and the firewall`,
      });
    },
  });
  yield* Effect.promise(() => response.arrayBuffer());
  const date = Date.parse(response.headers.get("date") ?? "");
  const skew = Math.round(((yield* Clock.currentTimeMillis) - date) / 1000);
  if (Math.abs(skew) <= MAX_SKEW_SECONDS || Number.isNaN(skew)) return `${address} answers`;
  return {
    finding: `${address} answers; its clock differs by ${Math.abs(skew)} seconds`,
    next: "set this machine's clock: tokens expire by the server's",
  };
});

const signedIn = Effect.fnUntraced(function* (from: Settings) {
  if (from.token !== undefined) return "with the token of GAME_DATA_TOKEN";
  const { sessionFor } = yield* connection;
  const session = yield* sessionFor(from, ["account:profile"]);
  const { scopes, username } = yield* session.tokens;
  return `${username ?? "somebody"}, with ${scopes.join(" ") || "scopes that the server did not tell"}`;
});
