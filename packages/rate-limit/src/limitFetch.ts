/**
 * A `fetch` that waits for a permit: for `fetch` itself, ky, octokit, and whatever takes one.
 */
import { callback, checkOption, checkOptions, finite, having, millis } from "./options.ts";
import type { Limiter } from "./Limiter.ts";
import type { LimiterRequest } from "./limiterOptions.ts";

/** Options that tell the requests of a `fetch` apart. */
export interface FetchOptions extends Pick<LimiterRequest, "priority" | "maxWait"> {
  /** The route of a request. Default: method and path, with ids of digits or hex left out. */
  readonly route?:
    | ((request: { readonly method: string; readonly url: URL }) => string)
    | undefined;
  /** The user of a request. Default: all are one. */
  readonly identity?:
    | ((request: {
        readonly method: string;
        readonly url: URL;
        readonly headers: Headers;
      }) => string)
    | undefined;
}

/** `GET api.example/users/{id}`: numbers, UUIDs and long hexadecimal ids become `{id}`. */
export const routeOf = (method: string, url: URL): string =>
  `${method} ${url.host}${url.pathname.replace(/\/(?:\d+|[0-9a-f]{8}[0-9a-f-]{4,})(?=\/|$)/giu, "/{id}")}`;

/** Throws `ConfigurationInvalidError` for the first argument of an adapter that cannot work. */
export const checkAdapter = (limiter: unknown, method: keyof Limiter, options: unknown): void => {
  checkOption("limiter", limiter ?? null, having(method));
  checkOptions(options, { route: callback, identity: callback, priority: finite, maxWait: millis });
};

/** A path alone is relative to the page, where there is one. */
const urlOf = (input: string | URL): URL =>
  new URL(input, (globalThis as { readonly location?: { readonly href: string } }).location?.href);

/** The adapter. One permit per attempt: retries of the caller pass the limiter again. */
export const limitFetch = (
  limiter: Pick<Limiter, "run">,
  fetch: typeof globalThis.fetch,
  options: FetchOptions = {},
): typeof globalThis.fetch => {
  checkAdapter(limiter, "run", options);
  checkOption("fetch", fetch ?? null, callback);
  const limited = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const isRequest = input instanceof Request;
    const url = urlOf(isRequest ? input.url : input);
    const method = (init?.method ?? (isRequest ? input.method : "GET")).toUpperCase();
    const signal = init?.signal ?? (isRequest ? input.signal : undefined);
    const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined));
    return limiter.run(
      {
        route: options.route?.({ method, url }) ?? routeOf(method, url),
        identity: options.identity?.({ method, url, headers }),
        priority: options.priority,
        maxWait: options.maxWait,
        signal: signal ?? undefined,
      },
      () => fetch(input, init),
    );
  };
  return limited as typeof globalThis.fetch;
};
