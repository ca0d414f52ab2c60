/**
 * What a response says before its body is a page: by status and by who wrote the body.
 *
 * The service writes JSON or nothing. HTML or other text comes from something in front of it, a
 * firewall or a proxy, which knows neither token nor id: such a response is waited out and ends
 * nothing.
 */
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { inflateSync } from "@game-data/contract/inflate";
import { ChangeIdRejected, type FetchError, PageRefused, PageUnavailable } from "../Errors.ts";
import type { PageRequest, PageResponse } from "../PageSource.ts";
import { retryAfter } from "./retryAfter.ts";

/** Fails with the verdict on a response that is no page; its body has not been read. */
export const judgeResponse = (
  request: PageRequest,
  response: PageResponse,
): Effect.Effect<void, FetchError> =>
  Effect.flatMap(retryAfter(response.headers), (wait) => verdict(request, response, wait));

const verdict = (
  request: PageRequest,
  response: PageResponse,
  wait: Duration.Duration | undefined,
): Effect.Effect<void, FetchError> => {
  const { headers, status } = response;
  const floor = { retryAfter: wait };
  const isRefusal = status >= 400 && status < 500;
  if (status === 429)
    return Effect.fail(new PageUnavailable({ kind: "rateLimited", status, ...floor }));
  if ((status === 200 || isRefusal) && isForeign(response)) {
    const answeredBy = describe(headers);
    return Effect.fail(new PageUnavailable({ kind: "blocked", status, answeredBy, ...floor }));
  }
  // A 404 of the exchange may be a page all the same: live deployments answer the current hour so,
  // with an ordinary body.
  if (status === 200 || (status === 404 && request.source === "exchange")) return Effect.void;
  if (status === 401) return Effect.fail(new PageRefused({ kind: "unauthorized" }));
  if (status === 403)
    return Effect.fail(new PageRefused({ kind: "forbidden", scope: SCOPES[request.source] }));
  if (status === 408 || status === 425 || !isRefusal)
    return Effect.fail(new PageUnavailable({ kind: "server", status, ...floor }));
  return Effect.flatMap(messageIn(response), (detail) =>
    Effect.fail(new ChangeIdRejected({ id: request.id ?? "", status, detail })),
  );
};

const SCOPES = { stashes: "service:psapi", exchange: "service:cxapi" } as const;

/** Whether the body is text of somebody else: it has a type, and that is not JSON. */
const isForeign = ({ headers }: PageResponse): boolean => {
  const type = (headers["content-type"] ?? "").toLowerCase();
  return /^text\/|html/u.test(type) && !type.includes("json") && headers["content-length"] !== "0";
};

const HEADER_LENGTH = 60;

/** `text/html, cloudflare`: printable characters of the two headers, cut to a line. */
const describe = (headers: PageResponse["headers"]): string =>
  [headers["content-type"], headers["server"]]
    .flatMap((text) => (text === undefined ? [] : [printable(text, HEADER_LENGTH)]))
    .join(", ");

const printable = (text: string, length: number): string =>
  text
    .replaceAll(/[^ -~\u00a1-\u1fff]+/gu, " ")
    .trim()
    .slice(0, length);

/** Bytes of a refusal that are read, and time for them. */
const REFUSAL_BYTES = 16_384;
const REFUSAL_MILLIS = 2000;
const MESSAGE_LENGTH = 200;

/** The message of the error object in a refusal's body (§7); `undefined` where there is none. */
const messageIn = (response: PageResponse): Effect.Effect<string | undefined> =>
  Effect.tryPromise(async () => {
    const chunks: Array<Uint8Array> = [];
    let size = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > REFUSAL_BYTES) return undefined;
    }
    const encoding = response.headers["content-encoding"] ?? "";
    // Small and bounded, so it need not wait for zlib's threads, which may be busy with pages.
    const text = inflateSync(Buffer.concat(chunks), encoding, { limit: REFUSAL_BYTES });
    const { error } = JSON.parse(Buffer.from(text).toString("utf8")) as ErrorBody;
    const { message } = error;
    return typeof message === "string" ? printable(message, MESSAGE_LENGTH) : undefined;
  }).pipe(
    Effect.timeoutOrElse({ duration: REFUSAL_MILLIS, orElse: () => Effect.succeed(undefined) }),
    Effect.catch(() => Effect.succeed(undefined)),
  );

interface ErrorBody {
  readonly error: { readonly message?: unknown };
}
