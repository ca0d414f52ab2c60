/**
 * Waits on this machine for the browser to come back from the consent page (RFC 8252 §7.3).
 *
 * Listens on 127.0.0.1, and on ::1 where that exists, at a port the system picks, for as long as
 * its scope is open. Only a GET of its path, for its own host, with the flow's state counts.
 * Everything else (favicons, scanners, a stale tab, a rebound DNS name, a slow or huge request)
 * gets an error page and changes nothing.
 *
 * The response to the callback is held until `receive` knows the outcome. Then the browser is sent
 * to an address without the code, which shows the outcome. The pages load nothing and hold nothing
 * of what arrived.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import * as Deferred from "effect/Deferred";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Scope from "effect/Scope";
import { LoopbackListenFailed, StateMismatch } from "../Errors.ts";
import { positiveTime } from "../internal/options.ts";
import { errorCode } from "../internal/storeFailure.ts";
import { redirect, resultPage, type PageText } from "./resultPage.ts";

/** Options of `make`. */
export interface ReceiverOptions {
  /** The path of the redirect URI as registered. Default: `/callback`. */
  readonly path?: string;
  /**
   * The address in the redirect URI. Default: `127.0.0.1`; the other one is listened on too, where
   * it exists.
   */
  readonly host?: "127.0.0.1" | "::1";
  /** Use this port, for servers that don't let it vary. Default: any free one. */
  readonly port?: number;
  /** Time limit for the browser's return. Default: 10 minutes, the lifetime of a flow. */
  readonly timeout?: Duration.Input;
  /** Words of the page that the user sees at the end, for programs in other languages. */
  readonly page?: Partial<PageText>;
}

/** A listening receiver. */
export interface LoopbackReceiver {
  /** The redirect URI for `PkceFlow.start`. */
  readonly redirectUri: string;
  /**
   * Returns the result of the first callback that `process` doesn't refuse with `StateMismatch`.
   *
   * The browser waits for the outcome of `process`, so exchange the code in it: the page then says
   * what is true. It shows success or failure, never the reason's details.
   */
  readonly receive: <A, E, R>(
    process: (url: string) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, Exclude<E, StateMismatch> | LoopbackListenFailed, R>;
}

type Outcome = "accepted" | "refused" | "not ours";

/** A browser sends its headers at once; whoever takes longer only holds the line. */
const REQUEST_TIMEOUT_MILLIS = 3_000;
const MAX_HEADER_BYTES = 16 * 1024;
/**
 * Connections that have sent no request. Beyond these the oldest is closed, not the newest: the
 * newest may be the browser.
 */
const MAX_SILENT = 32;
/** Time for which the page of the outcome is served after the flow: for a busy machine. */
const LINGER_MILLIS = 3_000;

/** Starts listening; stops when the scope closes. */
export const make = Effect.fn("LoopbackReceiver.make")(function* (
  options: ReceiverOptions = {},
): Effect.fn.Return<LoopbackReceiver, LoopbackListenFailed, Scope.Scope> {
  const { host, path, port: wanted, timeout } = yield* checked(options);
  const state: ReceiverState = { path, hosts: new Set(), process: undefined, ended: undefined };
  let isShown: (() => void) | undefined;
  const shown = new Promise<void>((resolve) => (isShown = resolve));
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const outcome = await classify(request, state);
      if (outcome === "accepted" || outcome === "refused") {
        state.ended = outcome;
        redirect(response, outcomePath(path, outcome));
        return;
      }
      if (typeof outcome === "object") response.once("close", () => isShown?.());
      resultPage(response, typeof outcome === "object" ? outcome.show : outcome, options.page);
    } catch {
      resultPage(response, "bad request", options.page);
    }
  };
  const port = yield* listen(handle, host, wanted);
  // The other family is a courtesy to browsers that prefer it: machines without it, or with the
  // port taken, go without.
  yield* Effect.ignore(listen(handle, host === "::1" ? "127.0.0.1" : "::1", port));
  // Before the listeners close: the browser is on its way to the page of the outcome.
  yield* Effect.addFinalizer(() =>
    state.ended === undefined
      ? Effect.void
      : Effect.promise(() =>
          Promise.race([
            shown,
            new Promise<void>((resolve) => setTimeout(resolve, LINGER_MILLIS).unref()),
          ]),
        ),
  );
  state.hosts.add(`127.0.0.1:${port}`).add(`[::1]:${port}`);
  const redirectUri = `http://${host === "::1" ? "[::1]" : host}:${port}${path}`;

  return { redirectUri, receive: (run) => receive(state, run, timeout) };
});

/** Waits for the first callback that `run` does not refuse as foreign. */
const receive = <A, E, R>(
  state: ReceiverState,
  run: (url: string) => Effect.Effect<A, E, R>,
  timeout: Duration.Duration,
): Effect.Effect<A, Exclude<E, StateMismatch> | LoopbackListenFailed, R> =>
  Effect.gen(function* () {
    const result = yield* Deferred.make<A, Exclude<E, StateMismatch>>();
    const context = yield* Effect.context<R>();
    state.process = (url) =>
      Effect.runPromise(
        Effect.exit(run(url)).pipe(
          Effect.flatMap((exit) => {
            const isStray = Exit.isFailure(exit) && exit.cause.reasons.some(isStateMismatch);
            if (isStray) return Effect.succeed<Outcome>("not ours");
            const outcome: Outcome = Exit.isSuccess(exit) ? "accepted" : "refused";
            state.ended = outcome;
            const done = exit as Exit.Exit<A, Exclude<E, StateMismatch>>;
            return Effect.as(Deferred.done(result, done), outcome);
          }),
          Effect.provideContext(context),
        ),
      );
    return yield* Deferred.await(result).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail(
            new LoopbackListenFailed({ kind: "timeout", reason: "no callback came in time" }),
          ),
      }),
      Effect.ensuring(Effect.sync(() => (state.process = undefined))),
    );
  });

/** The options with their defaults; another host than this machine's is never listened on. */
const checked = (options: ReceiverOptions) => {
  const {
    host = "127.0.0.1",
    path = "/callback",
    port = 0,
    timeout: limit = "10 minutes",
  } = options;
  const timeout = positiveTime("timeout", limit);
  const wrong = [
    host !== "127.0.0.1" && host !== "::1" && "host must be 127.0.0.1 or ::1",
    !String(path).startsWith("/") && "path must begin with a slash",
    !(Number.isInteger(port) && port >= 0 && port < 65_536) && "port must be from 0 to 65535",
    !Duration.isDuration(timeout) && "timeout must be a positive time",
  ].find((reason) => reason !== false);
  return wrong === undefined
    ? Effect.succeed({ host, path, port, timeout: timeout as Duration.Duration })
    : Effect.fail(new LoopbackListenFailed({ kind: "listen", reason: wrong }));
};

/** Where the page of the outcome is; below `/`, too, it is on this host. */
const outcomePath = (path: string, outcome: "accepted" | "refused") =>
  `${path.replace(/\/$/, "")}/${outcome}`;

const isStateMismatch = (reason: unknown) =>
  typeof reason === "object" &&
  reason !== null &&
  "error" in reason &&
  reason.error instanceof StateMismatch;

/** What the next request is judged by. */
interface ReceiverState {
  readonly path: string;
  readonly hosts: Set<string>;
  process: ((url: string) => Promise<Outcome>) | undefined;
  ended: Exclude<Outcome, "not ours"> | undefined;
}

type Classified =
  | Outcome
  | "bad request"
  | "not found"
  | "method"
  | { readonly show: "accepted" | "refused" };

const classify = async (
  request: IncomingMessage,
  { ended, hosts, path, process }: Readonly<ReceiverState>,
): Promise<Classified> => {
  // A page elsewhere can make its own name resolve to 127.0.0.1; its Host header gives it away.
  if (!hosts.has(request.headers.host ?? "")) return "bad request";
  const [requestPath] = (request.url ?? "").split("?", 1);
  if (ended !== undefined && requestPath === outcomePath(path, ended)) return { show: ended };
  if (requestPath !== path) return "not found";
  if (request.method !== "GET") return "method";
  return process === undefined
    ? "not ours"
    : process(`http://${request.headers.host}${request.url}`);
};

const listen = (
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  host: string,
  port: number,
): Effect.Effect<number, LoopbackListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, LoopbackListenFailed>((resume) => {
      const server = createServer(
        {
          maxHeaderSize: MAX_HEADER_BYTES,
          headersTimeout: REQUEST_TIMEOUT_MILLIS,
          requestTimeout: REQUEST_TIMEOUT_MILLIS,
          connectionsCheckingInterval: 1_000,
          keepAlive: false,
        },
        (request, response) => {
          silent.delete(request.socket);
          // The limit was for the headers; the exchange behind the response has its own.
          request.socket.setTimeout(0);
          void handle(request, response);
        },
      );
      const silent = new Set<Socket>();
      server.on("connection", (socket) => {
        silent.add(socket);
        socket.once("close", () => silent.delete(socket));
        const [oldest] = silent;
        if (silent.size > MAX_SILENT) oldest?.destroy();
      });
      // The other two count from the first byte; this one ends connections that never send any.
      server.timeout = REQUEST_TIMEOUT_MILLIS;
      server.maxRequestsPerSocket = 1;
      server.once("error", (error) =>
        resume(
          Effect.fail(
            new LoopbackListenFailed({
              kind: "listen",
              reason: `can't listen on ${host}: ${errorCode(error) ?? "unknown error"}`,
            }),
          ),
        ),
      );
      server.listen({ host, port, exclusive: true }, () => resume(Effect.succeed(server)));
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void));
        // The last page is on its way; idle connections are closed.
        setTimeout(() => server.closeAllConnections(), 100).unref();
        server.closeIdleConnections();
      }),
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port));
