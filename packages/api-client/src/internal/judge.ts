/**
 * From an answer's status, headers and body to an error by what the caller can do.
 */
import type { ErrorBody } from "@game-data/contract";
import {
  Forbidden,
  InvalidRequest,
  NotFound,
  RateLimited,
  ServerError,
  Timeout,
  Transport,
  Unauthorized,
} from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";

/** An answer that is no success. */
export interface Refused {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What `Retry-After` asks for, in milliseconds. */
  readonly retryAfter: number | undefined;
  readonly scopesNeeded: ReadonlyArray<string>;
  readonly scopesGranted: ReadonlyArray<string> | undefined;
}

/**
 * Whether a firewall in front of the service answered: its answers are pages, not JSON, and must
 * never be repeated.
 */
export const isEdgeBlock = (
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
): boolean => {
  if (status < 400) return false;
  if (headers["cf-mitigated"] !== undefined) return true;
  const isPage = (headers["content-type"] ?? "").toLowerCase().includes("html");
  if (status === 403) return isPage;
  // "Error 1015": the firewall's own limit. A service's 429 names its policy or a time.
  return (
    status === 429 &&
    isPage &&
    headers["x-rate-limit-policy"] === undefined &&
    headers["retry-after"] === undefined
  );
};

/** The error of a refused request. */
export const judge = (about: CallInfo, refused: Refused): GameApiError => {
  const { status, now, retryAfter } = refused;
  const info = { ...about, status, ...detailsOf(refused.body) };
  const retryAt = retryAfter === undefined ? {} : { retryAt: now + retryAfter };
  if (isEdgeBlock(status, refused.headers)) {
    return new Forbidden({
      ...about,
      status,
      reason: "edge",
      scopesNeeded: refused.scopesNeeded,
      scopesMissing: [],
      ...retryAt,
    });
  }
  // A browser hides a redirect that it does not follow behind status 0.
  if (status === 0 || (status >= 300 && status < 400))
    return new Transport({ ...about, status, phase: "redirect" });
  switch (status) {
    case 401:
      return new Unauthorized({ ...info, reason: "refused" });
    case 403:
      return forbidden(info, refused);
    case 404:
    case 410:
      return new NotFound(info);
    case 408:
      return new Timeout({ ...info, phase: "attempt" });
    case 429:
      return new RateLimited({ ...info, reason: "server", ...retryAt });
  }
  return status >= 500 ? new ServerError({ ...info, ...retryAt }) : new InvalidRequest(info);
};

const forbidden = (info: CallInfo, refused: Refused): Forbidden => {
  const { scopesNeeded, scopesGranted } = refused;
  const missing = scopesGranted && scopesNeeded.filter((scope) => !scopesGranted.includes(scope));
  const isScope =
    (missing !== undefined && missing.length > 0) ||
    (refused.headers["www-authenticate"] ?? "").includes("insufficient_scope");
  return new Forbidden({
    ...info,
    reason: isScope ? "scope" : missing === undefined ? "unknown" : "private",
    scopesNeeded,
    scopesMissing: missing?.length ? missing : isScope ? scopesNeeded : [],
  });
};

const LONGEST_DETAIL = 300;

/** Code and words of an error body, if it is one. */
export const detailsOf = (body: string): { readonly code?: number; readonly detail?: string } => {
  try {
    const { error } = JSON.parse(body) as Partial<ErrorBody>;
    if (error === undefined || error === null || typeof error !== "object") return {};
    return {
      ...(typeof error.code === "number" && { code: error.code }),
      ...(typeof error.message === "string" && {
        detail: error.message.slice(0, LONGEST_DETAIL),
      }),
    };
  } catch {
    return {};
  }
};
