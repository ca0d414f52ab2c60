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
import type { Served } from "./setAside.ts";
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
  const store = join(folder, "followed.db");
  if (target.kind === "deployment") return yield* openDeployment(target, store, streamPages);
  const replay =
    target.kind === "replay"
      ? yield* attempt("Cannot replay", async () => {
          const { readServed } = await import("./setAside.ts");
          return readServed(target.folder);
        })
      : undefined;
  return yield* openSandbox(replay, folder, streamPages);
});

const openSandbox = Effect.fnUntraced(function* (
  served: Served | undefined,
  folder: string,
  pages = SANDBOX_PAGES,
) {
  const { captured, refused = [] } = served ?? {};
  const store = join(folder, "followed.db");
  const replay = captured && join(folder, "replay");
  const sandbox = yield* Effect.acquireRelease(
    attempt("The sandbox does not start", async () => {
      const { startSandbox } = await import("@game-data/sandbox");
      const world = { streamHistoryPages: pages };
      if (captured === undefined || replay === undefined) return startSandbox({ world });
      const { writeRecording } = await import("./writeRecording.ts");
      await writeRecording(captured, replay, world);
      return startSandbox({ world, replay, replayMissing: "world" });
    }),
    (running) => Effect.promise(() => running.close()),
  );
  const { authUrl, baseUrl } = sandbox;
  const user = yield* userSession(registered(sandbox, "example-desktop"), [...READING, ...WRITING]);
  const application = yield* applicationSession(registered(sandbox, "example-service"), SERVICE);
  const streamPages = captured?.counts["pages"] ?? pages;
  const notServed =
    captured && (yield* Effect.promise(() => import("./writeRecording.ts"))).notServed(captured);
  const service = { authUrl, baseUrl, sandbox, captured, notServed, refused };
  return { ...service, store, streamPages, user, application } as Tour;
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
    const sessions =
      clientSecret === undefined
        ? {
            user: yield* userSession(registration, scopes.length > 0 ? scopes : READING),
            application: undefined,
          }
        : {
            user: undefined,
            application: yield* applicationSession(
              { ...registration, clientSecret },
              scopes.length > 0 ? scopes : SERVICE,
            ),
          };
    // Before a user is sent to a page that does not exist.
    for (const address of [authUrl, baseUrl])
      yield* attempt(`${address} does not respond`, () =>
        fetch(address, { redirect: "manual", signal: AbortSignal.timeout(10_000) }),
      );
    const own = { sandbox: undefined, captured: undefined, refused: [] };
    return { authUrl, baseUrl, ...sessions, ...own, store, streamPages } as Tour;
  },
  Effect.catchTag("ConfigurationInvalid", (error) => Effect.fail(failure("usage", error.message))),
);

const attempt = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => new StepFailed({ message: `${what}: ${reasonOf(cause as Error)}` }),
  });

const reasonOf = ({ cause, message }: Error) => (cause instanceof Error ? cause.message : message);
