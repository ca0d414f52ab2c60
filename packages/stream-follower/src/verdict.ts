/**
 * Decides by status and headers whether a response is a page.
 *
 * The service writes JSON or nothing. HTML and other text come from a firewall or proxy in front of
 * it, which knows neither token nor id, so such a response ends nothing.
 */
import { retryAfterMillis } from "@game-data/contract/retryAfter";
import * as Duration from "effect/Duration";
import { ChangeIdRejected, PageRefused, PageUnavailable } from "./Errors.ts";
import type { PageRequest, PageResponse } from "./PageSource.ts";

/** Returns the error of a response that is not a page, by its status and headers alone. */
export const verdict = (
  request: PageRequest,
  { headers, status }: Omit<PageResponse, "body">,
  now: number,
): PageUnavailable | PageRefused | ChangeIdRejected | undefined => {
  const wait = retryAfterMillis(headers, now);
  const response = {
    status,
    ...(wait === undefined ? {} : { retryAfter: Duration.millis(wait) }),
  };
  const isRefusal = status >= 400 && status < 500;
  if (status === 429) return new PageUnavailable({ reason: "rateLimited", ...response });
  if ((status === 200 || isRefusal) && isForeign(headers)) {
    return new PageUnavailable({ reason: "blocked", answeredBy: responder(headers), ...response });
  }
  // A 404 of the exchange may be a page: live deployments answer the current hour so, with an
  // ordinary body.
  if (status === 200 || (status === 404 && request.source === "exchange")) return undefined;
  if (status === 401) return new PageRefused({ reason: "unauthorized" });
  if (status === 403)
    return new PageRefused({ reason: "forbidden", scope: SCOPES[request.source] });
  if (!isRefusal || status === 408 || status === 425) {
    return new PageUnavailable({ reason: "server", ...response });
  }
  return new ChangeIdRejected({ id: request.id ?? "", status });
};

const SCOPES = { stashes: "service:psapi", exchange: "service:cxapi" } as const;

/** Whether the body has a media type other than JSON. */
const isForeign = (headers: PageResponse["headers"]): boolean => {
  const type = (headers["content-type"] ?? "").toLowerCase();
  return /^text\/|html/u.test(type) && !type.includes("json") && headers["content-length"] !== "0";
};

/** Returns `text/html, cloudflare`. */
const responder = (headers: PageResponse["headers"]): string =>
  [headers["content-type"], headers["server"]]
    .flatMap((text) => (text === undefined ? [] : [printable(text, 60)]))
    .join(", ");

/** Makes text of strangers fit for a line of the log. */
export const printable = (text: string, maxLength: number): string =>
  text
    .replaceAll(/[^ -~\u00a1-\u1fff]+/gu, " ")
    .trim()
    .slice(0, maxLength);
