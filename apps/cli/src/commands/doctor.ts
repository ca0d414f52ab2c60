/** `gamedata doctor`: checks everything that a command needs. */
import { Clock, Console, Effect } from "effect";
import { command, load } from "../command.ts";
import { connected, required, type Settings, settings } from "../config.ts";
import { Ended, Failure, reportOf } from "../failures.ts";
import { clean, outputFormat, print } from "../print.ts";

export const doctor = command(
  "doctor",
  "Check the configuration: settings, token store, addresses, clock and sign-in. Every problem is shown with the next step. Exits with the code of the first problem.",
  {},
  Effect.fnUntraced(function* () {
    const checks = Object.entries(checksOf(yield* settings));
    let exitCode = 0;
    const findings = yield* Effect.forEach(checks, ([check, run]) =>
      Effect.scoped(run).pipe(
        Effect.timeoutOrElse({ duration: "15 seconds", orElse: () => Effect.fail(NO_RESULT) }),
        Effect.map((finding): Finding => ({ check, isGood: true, finding })),
        Effect.catch((error) => {
          const { exitCode: ownCode, message, next } = reportOf(error);
          exitCode ||= ownCode;
          // The user is in the doctor already.
          const step = next?.endsWith("gamedata doctor") ? undefined : next;
          return Effect.succeed<Finding>({ check, isGood: false, finding: message, next: step });
        }),
      ),
    );
    if ((yield* outputFormat) !== "table") yield* print(findings);
    else yield* Console.log(findings.map(lines).join("\n"));
    if (exitCode > 0) return yield* new Ended({ exitCode });
  }),
).pipe(connected);

const unreachable = (message: string, what: string) =>
  new Failure({
    code: "Unreachable",
    message,
    next: `check ${what}, the network and the firewall`,
  });
const NO_RESULT = unreachable("There is no result within 15 seconds.", "authUrl and baseUrl");

/** The result of a check, and the next step for the user. */
interface Finding {
  readonly check: string;
  readonly isGood: boolean;
  readonly finding: string;
  readonly next?: string | undefined;
}

const lines = ({ check, finding, isGood, next }: Finding) =>
  `${isGood ? "✓" : "✗"} ${check.padEnd(12)}  ${clean(finding)}${next === undefined ? "" : `\n  → ${clean(next)}`}`;

/** Each check is independent, so that one run shows all problems. */
const checksOf = (from: Settings) => ({
  settings: Effect.succeed(
    `configuration file: ${from.file}${from.hasFile ? "" : ", which does not exist"}`,
  ),
  "token store": Effect.gen(function* () {
    const { FileStore } = yield* load(() => import("@game-data/oauth-pkce/node"));
    const store = yield* FileStore.make(from.tokens);
    yield* store.write("probe", undefined, { version: "1", text: "probe", ttlMillis: 60_000 });
    yield* store.write("probe", "1", { version: "2", text: "probe", ttlMillis: 0 });
    return `${from.tokens}: can be read and written`;
  }),
  "OAuth server": checkAddress(from, "authUrl"),
  "data API": checkAddress(from, "baseUrl"),
  "sign-in": Effect.gen(function* () {
    const { gameApi, tokensFor } = yield* load(() => import("../connect.ts"));
    if (from.token !== undefined) {
      // Only the service knows whether an access token is valid.
      const { name } = yield* Effect.flatMap(gameApi("profile.get"), (api) => api.profile.get());
      return `${name}, with the access token of the setting token`;
    }
    const { scopes, username } = yield* tokensFor(from, ["account:profile"]);
    return `${username ?? "an account without a name"}, with ${scopes.join(" ")}`;
  }),
});

/** A larger difference makes expired tokens look fresh. */
const MAX_SKEW_SECONDS = 60;

/** Checks that an address responds, with any status, and compares its clock. */
const checkAddress = Effect.fnUntraced(function* (from: Settings, name: "authUrl" | "baseUrl") {
  const { [name]: address } = yield* required(from, name);
  const response = yield* Effect.tryPromise({
    try: () => fetch(address, { redirect: "manual", signal: AbortSignal.timeout(10_000) }),
    catch: () => unreachable(`${address} does not respond.`, name),
  });
  // Any response is good; its body may be of any size.
  yield* Effect.promise(async () => response.body?.cancel());
  const date = Date.parse(response.headers.get("date") ?? "");
  const skew = Math.abs(Math.round(((yield* Clock.currentTimeMillis) - date) / 1000));
  return skew > MAX_SKEW_SECONDS
    ? `${address} responds, but its clock differs by ${skew} seconds: set this machine's clock`
    : `${address} responds`;
});
