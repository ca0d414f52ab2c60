/** A `fetch` that sends a session's token, and renews it once after a 401. */
import type { PromiseSession } from "./Session.ts";

/** Options of `authorizedFetch`. */
export interface AuthorizedFetchOptions {
  /**
   * Only requests to this address's origin carry the token; others are sent without any. Default:
   * every request carries it, so call only addresses that you trust with it.
   */
  readonly baseUrl?: string;
  /** Sends the requests. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Makes the function; hand it to any client that takes a `fetch`. A body that is a stream cannot be
 * sent twice: its 401 is returned as it is.
 */
export const authorizedFetch = (
  session: Pick<PromiseSession, "accessToken" | "renew">,
  { baseUrl, fetch: send = (...all) => globalThis.fetch(...all) }: AuthorizedFetchOptions = {},
): typeof globalThis.fetch => {
  const origin = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  return async (input, init) => {
    const isStream = input instanceof Request ? input.body !== null : isStreamBody(init?.body);
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const attempt = async (token: string | undefined) => {
      const request = new Request(input, init);
      request.headers.delete("authorization");
      if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`);
      return send(request);
    };
    const url = input instanceof Request ? input.url : String(input);
    if (origin !== undefined && URL.parse(url)?.origin !== origin) return attempt(undefined);
    const token = await session.accessToken(signal ? { signal } : {});
    const first = await attempt(token);
    if (first.status !== 401 || isStream) return first;
    const next = await session.renew(token);
    // Unread, its body would keep the connection open.
    await first.body?.cancel().catch(() => undefined);
    return attempt(next);
  };
};

const isStreamBody = (body: unknown): boolean => body instanceof ReadableStream;
