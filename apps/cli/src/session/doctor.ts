/**
 * Checks everything that a command needs: settings, contact, token store, loopback, addresses,
 * clock, sign-in.
 *
 * Each check is independent, so that one run shows all problems. The checks change nothing, apart
 * from a probe entry in the token store and the renewal of an expired token.
 */
import { existsSync } from "node:fs";
import { LoopbackReceiver } from "@game-data/oauth-pkce/node";
import { GameApi } from "@game-data/api-client";
import { formatUserAgent } from "@game-data/contract/UserAgent";
import { Failure, failure } from "@game-data/terminal/Failure";
import { type PackageError, toFailure } from "@game-data/terminal/toFailure";
import { clean, styled } from "@game-data/terminal/View";
import { Clock, Context, Effect, type Scope } from "effect";
import { type CheckedSettings, required, type Settings } from "../config/Settings.ts";
import { connect, probeStore, sessionFor, tokenStore, userAgentOf } from "./connect.ts";

/** The result of a check. */
export interface Finding {
  /** The name of the check. */
  readonly check: string;
  readonly state: "good" | "doubtful" | "bad";
  readonly finding: string;
  /** The next step for the user. */
  readonly next?: string;
  /** The code of the failure that a command would end with. */
  readonly code?: string;
}

/** A good finding, or a doubtful one with a next step. */
type Found = string | Pick<Finding, "finding" | "next">;

type Check = Effect.Effect<Found, Failure | PackageError, Scope.Scope>;

/**
 * Runs all checks. Settings that are invalid are findings, too; the other checks go on without. The
 * failure counts the problems; its exit code is that of the first one.
 */
export const diagnose = Effect.fnUntraced(function* ({
  problems,
  settings: from,
}: CheckedSettings) {
  const checks: ReadonlyArray<readonly [string, Check]> = [
    ...problems.map((problem) => ["settings", Effect.fail(problem)] as const),
    ...(problems.length > 0 ? [] : [["settings", Effect.sync(() => settingsFound(from))] as const]),
    ["contact", Effect.sync(() => contactFound(from))],
    ["token store", checkStore(from)],
    ["loopback", checkLoopback],
    ["OAuth server", checkAddress(from, "authUrl")],
    ["data API", checkAddress(from, "baseUrl")],
    ["sign-in", checkSignIn(from)],
  ];
  const findings: Array<Finding> = [];
  const failures: Array<Failure> = [];
  for (const [check, run] of checks) {
    const finding = yield* Effect.match(Effect.scoped(run), {
      onSuccess: (found): Finding =>
        typeof found === "string"
          ? { check, state: "good", finding: found }
          : { check, state: "doubtful", ...found },
      onFailure: (error): Finding => {
        const failed = error instanceof Failure ? error : toFailure(error);
        failures.push(failed);
        const { code, message, next } = failed;
        return { check, state: "bad", finding: message, code, ...(next && { next }) };
      },
    });
    findings.push(finding);
  }
  return { findings, failure: summary(failures) };
});

const summary = (failures: ReadonlyArray<Failure>): Failure | undefined => {
  const [first] = failures;
  if (first === undefined) return undefined;
  const { code, exitCode } = first;
  const message = failures.length === 1 ? "1 check failed." : `${failures.length} checks failed.`;
  return new Failure({ code, exitCode, message });
};

/** Shows a finding on a line, and its next step on a second one. */
export const findingLines = ({ check, finding, next, state }: Finding): string => {
  const mark = {
    good: styled("green", "✓"),
    doubtful: styled("yellow", "!"),
    bad: styled("red", "✗"),
  }[state];
  const line = `${mark} ${check.padEnd(WIDTH)}  ${clean(finding)}`;
  return next === undefined ? line : `${line}\n  ${" ".repeat(WIDTH)}  → ${clean(next)}`;
};

const WIDTH = 12;

const settingsFound = ({ file, profile, sources }: Settings): string => {
  const given = Object.entries(sources).filter(([, source]) => source !== "default");
  const listed = given.map(([name, source]) => `${name} (${source})`).join(", ");
  const of = profile === undefined ? "" : `, profile ${profile}`;
  return `${listed || "none set"}; ${existsSync(file) ? "" : "no "}file ${file}${of}`;
};

const contactFound = ({ contact, sources }: Settings): Found =>
  sources["contact"] === "default"
    ? {
        finding: "the service's staff cannot reach you",
        next: "set GAME_DATA_CONTACT to your address; it becomes part of the User-Agent",
      }
    : contact;

const checkStore = Effect.fnUntraced(function* (from: Settings) {
  yield* Effect.flatMap(tokenStore(from), probeStore);
  return `${from.tokens}: can be read and written`;
});

const checkLoopback = Effect.as(LoopbackReceiver.make(), "a browser on this machine can return");

/** A larger difference makes expired tokens look fresh. */
const MAX_SKEW_SECONDS = 60;

/** Checks that an address responds, with any status, and compares its clock. */
const checkAddress = Effect.fnUntraced(function* (from: Settings, name: "authUrl" | "baseUrl") {
  const address = yield* required(from, name);
  const userAgent = formatUserAgent(yield* userAgentOf(from));
  const init: RequestInit = {
    redirect: "manual",
    signal: AbortSignal.timeout(10_000),
    headers: userAgent.ok ? { "user-agent": userAgent.value } : {},
  };
  const response = yield* Effect.tryPromise({
    try: () => fetch(address, init),
    catch: (cause) => {
      const { cause: deeper, message } = cause as Error;
      const reason = deeper instanceof Error ? deeper.message : message;
      return failure("unreachable", `${address} does not respond: ${reason || message}`, {
        next: `check ${name}, the network and the firewall`,
      });
    },
  });
  // Any answer will do; its body may be of any size.
  yield* Effect.promise(async () => response.body?.cancel());
  const date = Date.parse(response.headers.get("date") ?? "");
  const skew = Math.round(((yield* Clock.currentTimeMillis) - date) / 1000);
  if (Math.abs(skew) <= MAX_SKEW_SECONDS || Number.isNaN(skew)) return `${address} responds`;
  return {
    finding: `${address} responds; its clock differs by ${Math.abs(skew)} seconds`,
    next: "set this machine's clock: the server decides when tokens expire",
  };
});

const checkSignIn = Effect.fnUntraced(function* (from: Settings) {
  if (from.token !== undefined) return yield* checkToken(from);
  const session = yield* sessionFor(from, ["account:profile"]);
  const { scopes, username } = yield* session.tokens;
  return `${username ?? "unnamed account"}, with ${scopes.join(" ") || "unknown scopes"}`;
});

/** An access token that is given as it is: only the service knows whether it is valid. */
const checkToken = Effect.fnUntraced(function* (from: Settings) {
  const source = from.sources["token"];
  const given = source === "environment" ? "GAME_DATA_TOKEN" : `token (${source})`;
  const { profile } = Context.get(yield* connect(from, ["account:profile"]), GameApi);
  return yield* profile.get().pipe(
    Effect.map(({ name }) => `${name}, with the access token of ${given}`),
    Effect.catchTag("Forbidden", () =>
      Effect.succeed(`the access token of ${given} is valid, without account:profile`),
    ),
    Effect.catchTag("Unauthorized", ({ message }) =>
      Effect.fail(
        failure("not-signed-in", message, {
          next: `replace or remove the access token in ${given}`,
        }),
      ),
    ),
  );
});
