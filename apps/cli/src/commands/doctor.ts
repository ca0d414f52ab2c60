/** `gamedata doctor`: checks the settings, token store, addresses and sign-in of other commands. */
import { Clock, Console, Effect, FileSystem } from "effect";
import { command, load, loadGameApi } from "../command.ts";
import { connected, required, type Settings, settings } from "../config.ts";
import { Ended, Failure, toFailure } from "../failures.ts";
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
        // If a service does not respond, the other checks run all the same.
        Effect.timeoutOrElse({
          duration: "10 seconds",
          orElse: () => unreachable("No result within 10 seconds.", LOCAL_CHECKS.has(check)),
        }),
        Effect.map((finding): Finding => ({ check, isGood: true, finding })),
        Effect.catch((error) => {
          const { exitCode: ownCode, message, next } = toFailure(error);
          exitCode ||= ownCode;
          // Omits the advice to run `gamedata doctor`, which is running already.
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

/** Result of a check, and the next step if the check failed. */
interface Finding {
  readonly check: string;
  readonly isGood: boolean;
  readonly finding: string;
  readonly next?: string | undefined;
}

const lines = ({ check, finding, isGood, next }: Finding) =>
  `${isGood ? "✓" : "✗"} ${check.padEnd(12)}  ${clean(finding)}${next === undefined ? "" : `\n  → ${clean(next)}`}`;

/** Returns the checks, which do not depend on each other, so that one run shows all problems. */
const checksOf = (from: Settings) => ({
  settings: checkFile(from.file),
  "token store": Effect.gen(function* () {
    const { FileStore } = yield* load(() => import("@game-data/oauth-pkce/node"));
    const store = yield* FileStore.make(from.tokens);
    yield* store.write("probe", undefined, { version: "1", text: "probe", ttlMillis: 1 });
    return `${from.tokens}: can be read and written`;
  }),
  "OAuth server": checkAddress(from, "authUrl", "POST", "/oauth/token"),
  "data API": checkAddress(from, "baseUrl", "GET", "/profile"),
  "sign-in": Effect.gen(function* () {
    if (from.token !== undefined) {
      // Only the service knows whether an access token is valid.
      const { name } = yield* Effect.flatMap(loadGameApi("profile.get"), (api) =>
        api.profile.get(),
      );
      return `${name}, with the access token of the setting token`;
    }
    const { tokensFor } = yield* load(() => import("../connect.ts"));
    const { scopes, username } = yield* tokensFor(from, ["account:profile"]);
    return `${username ?? "an account without a name"}, with ${scopes.join(" ")}`;
  }),
});

/** Fails if other users can read a configuration file that has a secret. */
const checkFile = Effect.fnUntraced(function* ({ content, path }: Settings["file"]) {
  const finding = `configuration file: ${path}`;
  if (content === undefined) return `${finding}, which does not exist`;
  const files = yield* FileSystem.FileSystem;
  const { mode } = yield* Effect.orDie(files.stat(path));
  const hasSecret = "clientSecret" in content || "token" in content;
  // Windows has no modes for other users.
  if (!hasSecret || (mode & 0o077) === 0 || process.platform === "win32") return finding;
  return yield* new Failure({
    code: "SettingInvalid",
    message: `Other users may read ${path}, which holds a secret.`,
    next: `chmod 600 ${path}`,
  });
});

/** Larger differences between the clocks make expired tokens look fresh. */
const MAX_SKEW_SECONDS = 60;

/**
 * Checks that an address responds with JSON to a request without a token, as the service does when
 * it refuses one, and with a clock like that of this machine.
 */
const checkAddress = Effect.fnUntraced(function* (
  from: Settings,
  name: "authUrl" | "baseUrl",
  method: string,
  path: string,
) {
  const { [name]: address } = yield* required(from, name);
  const response = yield* Effect.tryPromise({
    try: (signal) => fetch(`${address}${path}`, { method, redirect: "manual", signal }),
    catch: () => unreachable(`${address} does not respond.`),
  });
  // The body is not needed, and may be of any size.
  yield* Effect.promise(async () => response.body?.cancel());
  if (!/^application\/json\b/iu.test(response.headers.get("content-type") ?? ""))
    return yield* unreachable(
      `${address} responds, but not as the service: HTTP ${response.status} without JSON.`,
    );
  const date = Date.parse(response.headers.get("date") ?? "");
  const skew = Math.abs(Math.round(((yield* Clock.currentTimeMillis) - date) / 1000));
  if (skew > MAX_SKEW_SECONDS)
    return yield* new Failure({
      code: "SettingInvalid",
      message: `${address} responds, but its clock differs by ${skew} seconds.`,
      next: "set this machine's clock; or that of the sandbox, if it was moved",
    });
  return `${address} responds`;
});

/** Checks that send no request. If one is late, the network is not the cause. */
const LOCAL_CHECKS: ReadonlySet<string> = new Set(["settings", "token store"]);

const unreachable = (message: string, isLocal = false) =>
  new Failure({
    code: "Unreachable",
    message,
    next: isLocal ? undefined : "check authUrl, baseUrl, the network and the firewall",
  });
