/** `gamedata doctor`: checks everything that a command needs. */
import { Clock, Console, Effect, FileSystem } from "effect";
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
    const isTable = (yield* outputFormat) === "table";
    let exitCode = 0;
    const findings = yield* Effect.forEach(checks, ([check, run]) =>
      Effect.scoped(run).pipe(
        Effect.timeoutOrElse({ duration: DEADLINE, orElse: () => Effect.fail(LATE) }),
        Effect.map((finding): Finding => ({ check, isGood: true, finding })),
        Effect.catch((error) => {
          const { exitCode: ownCode, message, next } = reportOf(error);
          exitCode ||= ownCode;
          // The user is in the doctor already.
          const step = next?.endsWith("gamedata doctor") ? undefined : next;
          return Effect.succeed<Finding>({ check, isGood: false, finding: message, next: step });
        }),
        Effect.tap((finding) => (isTable ? Console.log(lines(finding)) : Effect.void)),
      ),
    );
    if (!isTable) yield* print(findings);
    if (exitCode > 0) return yield* new Ended({ exitCode });
  }),
).pipe(connected);

/** A check ends within this time, so that a service that hangs does not hide the other problems. */
const DEADLINE = "10 seconds";

const unreachable = (message: string, what: string) =>
  new Failure({
    code: "Unreachable",
    message,
    next: `check ${what}, the network and the firewall`,
  });
const LATE = unreachable(`No result within ${DEADLINE}.`, "authUrl and baseUrl");

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
  settings: Effect.gen(function* () {
    const { file, hasFile, hasSecret } = from;
    if (!hasFile) return `configuration file: ${file}, which does not exist`;
    const { mode } = yield* Effect.orDie(
      Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(file)),
    );
    // Windows has no such modes.
    if (hasSecret && (mode & 0o077) !== 0 && process.platform !== "win32")
      return yield* new Failure({
        code: "SettingInvalid",
        message: `Other users may read ${file}, which holds a secret.`,
        next: `chmod 600 ${file}`,
      });
    return `configuration file: ${file}`;
  }),
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

/** Requests without a token or a body, which the service refuses with JSON. */
const PROBES = {
  authUrl: { method: "POST", path: "/oauth/token" },
  baseUrl: { method: "GET", path: "/profile" },
};

/** Checks that an address responds as the service does, and compares its clock. */
const checkAddress = Effect.fnUntraced(function* (from: Settings, name: "authUrl" | "baseUrl") {
  const { [name]: address } = yield* required(from, name);
  const { method, path } = PROBES[name];
  const response = yield* Effect.tryPromise({
    try: (signal) => fetch(`${address}${path}`, { method, redirect: "manual", signal }),
    catch: () => unreachable(`${address} does not respond.`, name),
  });
  // The body may be of any size.
  yield* Effect.promise(async () => response.body?.cancel());
  if (!/^application\/json\b/iu.test(response.headers.get("content-type") ?? ""))
    return yield* unreachable(
      `${address} responds, but not as the service: HTTP ${response.status} without JSON.`,
      name,
    );
  const date = Date.parse(response.headers.get("date") ?? "");
  const skew = Math.abs(Math.round(((yield* Clock.currentTimeMillis) - date) / 1000));
  return skew > MAX_SKEW_SECONDS
    ? `${address} responds, but its clock differs by ${skew} seconds: set this machine's clock`
    : `${address} responds`;
});
