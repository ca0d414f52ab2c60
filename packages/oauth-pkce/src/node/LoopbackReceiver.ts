/**
 * Waits on this machine for the browser to return from the consent page (RFC 8252 §7.3).
 *
 * Only a GET of its path, for its own host, with the flow's state counts. Any other request (favicons,
 * scanners, a stale tab, a rebound DNS name) gets an error page and changes nothing.
 *
 * The response to the callback is held until `receive` knows the outcome. Then the browser is sent to
 * an address without the code, which shows the outcome. The pages repeat nothing of the request.
 */
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Queue from "effect/Queue";
import type * as Scope from "effect/Scope";
import { LoopbackListenFailed, StateMismatch } from "../Errors.ts";
import { errorCode } from "../internal/errorCode.ts";
import { positiveTime } from "../internal/options.ts";
import { HTML, page, PAGE_HEADERS } from "../internal/page.ts";

/** Sentences of the last page, for a sign-in that succeeded (`accepted`) or failed (`refused`). */
export interface PageText {
  readonly accepted: string;
  readonly refused: string;
}

/** Options of a loopback receiver: its address, its time limit and its page. */
export interface ReceiverOptions {
  /** The path of the registered redirect URI. Default: `/callback`. */
  readonly path?: string;
  /** Address in the redirect URI. Default: `127.0.0.1`. The receiver listens on both addresses. */
  readonly host?: "127.0.0.1" | "::1";
  /** The port, for servers that do not let it vary. Default: any free port. */
  readonly port?: number;
  /** Time limit for the browser's return. Default: 10 minutes, the lifetime of a flow. */
  readonly timeout?: Duration.Input;
  /** Sentences of the page that the user sees at the end, for programs in other languages. */
  readonly page?: Partial<PageText>;
}

/** A server on this machine that waits for the callback (RFC 8252 §7.3). */
export interface LoopbackReceiver {
  /** The redirect URI for `PkceFlow.start`. */
  readonly redirectUri: string;
  /**
   * Returns the result of the first callback that `process` does not refuse with `StateMismatch`.
   *
   * The browser waits for `process`, so exchange the code in it: the page then shows the true outcome.
   */
  readonly receive: <A, E, R>(
    process: (url: string) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, Exclude<E, StateMismatch> | LoopbackListenFailed, R>;
}

/** A browser sends its headers at once. A slower connection only occupies a socket. */
const REQUEST_TIMEOUT_MILLIS = 3_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Time for which the page of the outcome is served after the flow. */
const OUTCOME_PAGE_TIME = "3 seconds";

type Outcome = "accepted" | "refused";

/** A request for the path of the redirect URI. Its browser waits for the outcome. */
interface Callback {
  readonly url: string;
  readonly respond: (outcome: Outcome | "stray") => void;
}

interface State {
  readonly callbacks: Queue.Queue<Callback>;
  isReceiving: boolean;
  outcome: Outcome | undefined;
}

/**
 * Listens on 127.0.0.1, and on ::1 if the machine has it, at a port that the system picks. Stops when
 * the scope closes.
 */
export const make = Effect.fn("LoopbackReceiver.make")(function* (
  options: ReceiverOptions = {},
): Effect.fn.Return<LoopbackReceiver, LoopbackListenFailed, Scope.Scope> {
  const { host, path, port: wanted, text, timeout } = yield* checkOptions(options);
  const callbacks = yield* Queue.unbounded<Callback>();
  const state: State = { callbacks, isReceiving: false, outcome: undefined };
  const hosts = new Set<string>();
  /** Resolves when a browser has loaded the page of the outcome. */
  const shown = Promise.withResolvers<void>();
  const outcomePath = (outcome: Outcome) => `${path.replace(/\/$/, "")}/${outcome}`;

  const handle: RequestListener = (request, response) => {
    const [requestPath] = (request.url ?? "").split("?", 1);
    const requestHost = request.headers.host ?? "";
    // A DNS name of another site may resolve to 127.0.0.1. Its Host header shows that.
    if (!hosts.has(requestHost)) return show(response, 400);
    if (state.outcome && requestPath === outcomePath(state.outcome)) {
      response.once("close", shown.resolve);
      return show(response, state.outcome === "accepted" ? 200 : 400, text[state.outcome]);
    }
    if (requestPath !== path) return show(response, 404);
    if (request.method !== "GET") return show(response, 405);
    if (!state.isReceiving) return show(response, 400);
    Queue.offerUnsafe(callbacks, {
      url: `http://${requestHost}${request.url}`,
      respond: (result) => {
        if (result === "stray") show(response, 400);
        else response.writeHead(303, { ...HEADERS, location: outcomePath(result) }).end();
      },
    });
  };

  const port = yield* listen(handle, host, wanted);
  // Listens on the other loopback address too, for browsers that prefer it.
  yield* Effect.ignore(listen(handle, host === "::1" ? "127.0.0.1" : "::1", port));
  hosts.add(`127.0.0.1:${port}`).add(`[::1]:${port}`);
  // Runs before the listeners close, because the browser is on its way to the page of the outcome.
  yield* Effect.addFinalizer(() => {
    const loaded = Effect.promise(() => shown.promise);
    return state.outcome ? Effect.ignore(Effect.timeout(loaded, OUTCOME_PAGE_TIME)) : Effect.void;
  });
  return {
    redirectUri: `http://${host === "::1" ? "[::1]" : host}:${port}${path}`,
    receive: (process) => receive(state, timeout, process),
  };
});

const receive = <A, E, R>(
  state: State,
  timeout: Duration.Duration,
  process: (url: string) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    state.isReceiving = true;
    while (true) {
      const { respond, url } = yield* Queue.take(state.callbacks);
      const exit = yield* Effect.exit(process(url));
      if (isStateMismatch(exit)) {
        respond("stray");
        continue;
      }
      state.outcome = Exit.isSuccess(exit) ? "accepted" : "refused";
      respond(state.outcome);
      return yield* exit as Exit.Exit<A, Exclude<E, StateMismatch>>;
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        new LoopbackListenFailed({ reason: "timeout", detail: "no callback arrived in time" }),
    }),
    Effect.ensuring(
      Effect.gen(function* () {
        state.isReceiving = false;
        for (const { respond } of yield* Queue.clear(state.callbacks)) respond("stray");
      }),
    ),
  );

const isStateMismatch = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) => "error" in reason && reason.error instanceof StateMismatch);

const DEFAULT_TEXT: PageText = {
  accepted: "You are signed in. You can close this window.",
  refused: "Signing in did not work. Please return to the program.",
};

const listenError = (detail: string) => new LoopbackListenFailed({ reason: "listen", detail });

const checkOptions = Effect.fnUntraced(function* (options: ReceiverOptions) {
  const { host = "127.0.0.1", path = "/callback", port = 0 } = options;
  // Other machines must not be able to connect.
  if (host !== "127.0.0.1" && host !== "::1")
    return yield* listenError("host must be 127.0.0.1 or ::1");
  if (!path.startsWith("/")) return yield* listenError("path must begin with a slash");
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return yield* listenError("port must be from 0 to 65535");
  const timeout = yield* Effect.mapError(
    positiveTime("timeout", options.timeout ?? "10 minutes"),
    () => listenError("timeout must be a positive time"),
  );
  return { host, path, port, text: { ...DEFAULT_TEXT, ...options.page }, timeout };
});

const HEADERS = { ...PAGE_HEADERS, connection: "close" } as const;

const show = (response: ServerResponse, status: number, sentence = "Nothing to see here.") => {
  response.writeHead(status, { ...HTML, ...HEADERS, ...(status === 405 && { allow: "GET" }) });
  response.end(page(sentence.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`)));
};

/** Listens until the scope closes. Returns the port. */
const listen = (handle: RequestListener, host: string, port: number) =>
  Effect.acquireRelease(
    Effect.callback<Server, LoopbackListenFailed>((resume) => {
      const server = createLimitedServer(handle);
      server.once("error", (error) => {
        const code = errorCode(error) ?? "unknown error";
        resume(Effect.fail(listenError(`cannot listen on ${host}: ${code}`)));
      });
      server.listen({ host, port, exclusive: true }, () => resume(Effect.succeed(server)));
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void));
        // Open connections get 100 ms, because the last page may still be in transit.
        setTimeout(() => server.closeAllConnections(), 100).unref();
        server.closeIdleConnections();
      }),
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port));

const createLimitedServer = (handle: RequestListener): Server => {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: REQUEST_TIMEOUT_MILLIS,
    requestTimeout: REQUEST_TIMEOUT_MILLIS,
    connectionsCheckingInterval: 1_000,
    keepAlive: false,
  };
  const server = createServer(limits, (request, response) => {
    // The limit was for the headers. The exchange, for which the response waits, has its own limit.
    request.socket.setTimeout(0);
    handle(request, response);
  });
  // `server.timeout` ends connections that never send a byte. The other limits start with a byte.
  server.timeout = REQUEST_TIMEOUT_MILLIS;
  server.maxRequestsPerSocket = 1;
  return server;
};
