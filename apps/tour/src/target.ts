/**
 * Opens the service that the tour runs against: starts a sandbox, or connects to a deployment.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "@game-data/contract";
import type { RunningSandbox } from "@game-data/sandbox";
import { failure } from "@game-data/terminal/Failure";
import { Effect, Redacted } from "effect";
import type { Deployment, TourTarget } from "./command.ts";
import { applicationSession, userSession } from "./sessions.ts";
import { StepFailed, type Tour } from "./Tour.ts";

/**
 * Pages of the stash stream: those of the sandbox's history, and the first ones of a deployment.
 */
const SANDBOX_PAGES = 60;
const DEPLOYMENT_PAGES = 5;

const READING: ReadonlyArray<Scope> = ["account:profile", "account:characters", "account:stashes"];
const WRITING: ReadonlyArray<Scope> = ["account:item_filter", "oauth:revoke"];
const SERVICE: ReadonlyArray<Scope> = [
  "service:leagues",
  "service:leagues:ladder",
  "service:psapi",
  "service:cxapi",
];

/** Opens the target. It closes with the scope. */
export const openTarget = Effect.fnUntraced(function* (target: TourTarget, streamPages?: number) {
  const folder = mkdtempSync(join(tmpdir(), "game-data-tour-"));
  // On exit, because a reader that closes the pipe ends the process without finalizers.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  if (target.kind === "deployment")
    return yield* openDeployment(target, join(folder, "followed.db"), streamPages);
  const from = target.kind === "replay" ? target.folder : undefined;
  return yield* openSandbox(from, folder, streamPages);
});

const openSandbox = Effect.fnUntraced(function* (
  from: string | undefined,
  folder: string,
  pages = SANDBOX_PAGES,
) {
  const world = { streamHistoryPages: pages };
  const replay = join(folder, "replay");
  const captured =
    from === undefined
      ? undefined
      : yield* attempt("Cannot replay", async () => {
          const { openReplay } = await import("./replay/openReplay.ts");
          return openReplay(from, replay, world);
        });
  const sandbox = yield* Effect.acquireRelease(
    attempt("The sandbox does not start", async () => {
      const { startSandbox } = await import("@game-data/sandbox");
      return startSandbox({ world, ...(captured && { replay, replayMissing: "world" }) });
    }),
    (running) => Effect.promise(() => running.close()),
  );
  const { authUrl, baseUrl } = sandbox;
  return {
    authUrl,
    baseUrl,
    sandbox,
    captured,
    store: join(folder, "followed.db"),
    streamPages: captured?.counts["pages"] ?? pages,
    user: yield* userSession(registered(sandbox, "example-desktop"), [...READING, ...WRITING]),
    application: yield* applicationSession(registered(sandbox, "example-service"), SERVICE),
  } as Tour;
});

/** A client of the sandbox's seed. */
const registered = (sandbox: RunningSandbox, id: string) => {
  const { authUrl, baseUrl, clients } = sandbox;
  const {
    clientId,
    clientSecret = "",
    redirectUris,
  } = clients.find((each) => each.clientId === id)!;
  return {
    authUrl,
    baseUrl,
    clientId,
    clientSecret: Redacted.make(clientSecret),
    redirectUri: redirectUris[0] ?? "",
    contact: "tour@example.com",
  };
};

const openDeployment = Effect.fnUntraced(
  function* (deployment: Deployment, store: string, streamPages = DEPLOYMENT_PAGES) {
    const { authUrl, baseUrl, clientSecret, scopes, words } = deployment;
    const registration = {
      ...deployment,
      words:
        words === undefined
          ? undefined
          : yield* attempt("--words", async () => JSON.parse(await readFile(words, "utf8"))),
    };
    const wanted = (usual: ReadonlyArray<Scope>) => (scopes.length > 0 ? scopes : usual);
    const user =
      clientSecret === undefined ? yield* userSession(registration, wanted(READING)) : undefined;
    const application =
      clientSecret &&
      (yield* applicationSession({ ...registration, clientSecret }, wanted(SERVICE)));
    // Before a user is sent to a page that does not exist.
    for (const address of [authUrl, baseUrl])
      yield* attempt(`${address} does not respond`, () =>
        fetch(address, { redirect: "manual", signal: AbortSignal.timeout(10_000) }),
      );
    const own = { sandbox: undefined, captured: undefined, store, streamPages };
    return { authUrl, baseUrl, user, application, ...own } as Tour;
  },
  Effect.catchTag("ConfigurationInvalid", (error) => Effect.fail(failure("usage", error.message))),
);

const attempt = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => new StepFailed({ message: `${what}: ${reasonOf(cause as Error)}` }),
  });

const reasonOf = ({ cause, message }: Error) => (cause instanceof Error ? cause.message : message);
