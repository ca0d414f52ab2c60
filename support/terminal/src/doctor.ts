/**
 * Looks at everything that a program needs, and says what to repair: settings, contact, token
 * store, loopback, addresses, clock, sign-in.
 *
 * Each check stands for itself, so that all that is wrong is told at once. Nothing is changed by
 * looking, but for the probe of the token store and a token that is renewed because it was due.
 */
import { existsSync } from "node:fs";
import { LoopbackReceiver } from "@game-data/oauth-pkce/node";
import { Clock, Effect } from "effect";
import { probe, sessionFor, tokenStore } from "./Connection.ts";
import { Failure, failure } from "./Failure.ts";
import { type PackageError, toFailure } from "./toFailure.ts";
import { clean, styled } from "./Output.ts";
import { required, type Settings } from "./Settings.ts";

/** What a check found. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly state: "good" | "doubtful" | "bad";
  readonly finding: string;
  /** What to do about it. */
  readonly next?: string;
  /** The code of the failure that a command would end with. */
  readonly code?: string;
}

/** All findings, and the first failure among them. */
export interface Checked {
  readonly findings: ReadonlyArray<Finding>;
  /** Says how many things need repair; its exit code is that of the first of them. */
  readonly failure: Failure | undefined;
}

/** What a check finds: a sentence, or a sentence and a doubt. */
type Found = string | Pick<Finding, "finding" | "next">;

/** Checks everything that the settings speak of. */
export const checkAll = Effect.fnUntraced(function* (from: Settings) {
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
  const problems: Array<Failure> = [];
  for (const [check, run] of checks) {
    const finding = yield* Effect.match(run, {
      onSuccess: (found): Finding =>
        typeof found === "string"
          ? { check, state: "good", finding: found }
          : { check, state: "doubtful", ...found },
      onFailure: (error): Finding => {
        const problem = error instanceof Failure ? error : toFailure(error);
        problems.push(problem);
        const { code, message, next } = problem;
        return { check, state: "bad", finding: message, code, ...(next && { next }) };
      },
    });
    findings.push(finding);
  }
  return { findings, failure: failureOf(problems) } satisfies Checked;
});

const failureOf = (problems: ReadonlyArray<Failure>): Failure | undefined => {
  const [first] = problems;
  if (first === undefined) return undefined;
  const { code, exitCode } = first;
  const message =
    problems.length === 1 ? "One thing needs repair." : `${problems.length} things need repair.`;
  return new Failure({ code, exitCode, message });
};

/** A finding on a line, and what to do on a second one. */
export const described = ({ check, finding, next, state }: Finding): string => {
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
  yield* Effect.flatMap(tokenStore(from), probe);
  return `${from.tokens}: can be read and written`;
});

const loopback = Effect.as(LoopbackReceiver.make(), "a browser on this machine can come back");

/** Clocks that differ by more than this make tokens look fresh that are not. */
const MAX_SKEW_SECONDS = 60;

/** Whether an address of the settings answers at all; any answer will do. */
export const answers = Effect.fnUntraced(function* (from: Settings, name: "authUrl" | "baseUrl") {
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
  const session = yield* sessionFor(from, ["account:profile"]);
  const { scopes, username } = yield* session.tokens;
  return `${username ?? "somebody"}, with ${scopes.join(" ") || "scopes that the server did not tell"}`;
});
