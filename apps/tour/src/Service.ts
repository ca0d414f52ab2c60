/**
 * Opens the place of the tour: starts the sandbox, or looks whether the deployment answers, and
 * gets the clients ready.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCaptured } from "@game-data/captured";
import { answers } from "@game-data/terminal/doctor";
import { Failure, failure } from "@game-data/terminal/Failure";
import { Untrue } from "./report/runSteps.ts";
import { settings } from "@game-data/terminal/Settings";
import { settingsOf, speakersOf } from "./ApiSession.ts";
import type { Scope } from "@game-data/contract";
import type { RunningSandbox } from "@game-data/sandbox";
import { Effect } from "effect";
import type { Place } from "./Command.ts";
import type { Tour } from "./Tour.ts";

/**
 * Pages of the stash stream: what the sandbox is born with, and what is taken of a deployment's.
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

/** Opens the place; what is opened closes with the scope. */
export const open = Effect.fnUntraced(function* (place: Place) {
  const folder = mkdtempSync(join(tmpdir(), "game-data-tour-"));
  // Also where a reader has seen enough and the process ends at once.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, "followed.db");
  return place.kind === "deployment"
    ? yield* openDeployment(place.scopes, store)
    : yield* openSandbox(place.kind === "replay" ? place.folder : undefined, store);
});

const openSandbox = Effect.fnUntraced(function* (replay: string | undefined, store: string) {
  const captured = yield* attempt("Cannot replay", () =>
    replay === undefined ? undefined : readCaptured(replay),
  );
  const sandbox = yield* Effect.acquireRelease(
    attempt("The sandbox does not start", async () => {
      const { startSandbox } = await import("@game-data/sandbox");
      return startSandbox({ world: { streamHistoryPages: SANDBOX_PAGES }, replay });
    }),
    (running) => Effect.promise(() => running.close()),
  );
  const { authUrl, baseUrl } = sandbox;
  const { user } = yield* speakersIn(sandbox, "example-desktop", [...READING, ...WRITING]);
  const { application } = yield* speakersIn(sandbox, "example-service", SERVICE);
  const streamPages = captured?.figures["pages"] ?? SANDBOX_PAGES;
  const tour: Tour = { authUrl, baseUrl, sandbox, captured, store, streamPages, user, application };
  return tour;
});

/** A client that the sandbox knows. */
const speakersIn = (sandbox: RunningSandbox, id: string, scopes: ReadonlyArray<Scope>) => {
  const { authUrl, baseUrl, clients } = sandbox;
  const { redirectUris, ...client } = clients.find(({ clientId }) => clientId === id)!;
  const [redirectUri = ""] = redirectUris;
  const known = { ...client, authUrl, baseUrl, redirectUri, contact: "tour@example.com" };
  return speakersOf(settingsOf(known), scopes);
};

/** With a secret the tour speaks for the application, without one for the user who signs in. */
const openDeployment = Effect.fnUntraced(function* (asked: ReadonlyArray<Scope>, store: string) {
  const from = yield* Effect.mapError(settings, asUsage);
  const byDefault = from.clientSecret === undefined ? READING : SERVICE;
  const scopes = asked.length > 0 ? asked : byDefault;
  const speakers = yield* Effect.mapError(speakersOf(from, scopes), asUsage);
  // Before anybody is sent to a page that is not there.
  for (const name of ["authUrl", "baseUrl"] as const)
    yield* Effect.mapError(answers(from, name), ({ message }) => new Untrue({ message }));
  const { authUrl = "", baseUrl = "" } = from;
  const none = { sandbox: undefined, captured: undefined };
  const tour: Tour = {
    ...speakers,
    ...none,
    authUrl,
    baseUrl,
    store,
    streamPages: DEPLOYMENT_PAGES,
  };
  return tour;
});

/** What is missing here is missing on the command line. */
const asUsage = <E extends { readonly _tag: string }>(error: E) =>
  error instanceof Failure
    ? failure("usage", error.message, error.next === undefined ? {} : { next: error.next })
    : error;

const attempt = <A>(what: string, run: () => A | Promise<A>) =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => new Untrue({ message: `${what}: ${(cause as Error).message}` }),
  });
