/** Responses of the sign-in: redirects and the error page. Nothing of what arrived is in them. */
import * as Duration from "effect/Duration";
import type { OAuthError } from "../Errors.ts";

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
} as const;

const respond = (
  status: number,
  body: string | null,
  headers: Readonly<Record<string, string>>,
  cookies: ReadonlyArray<string> = [],
): Response => {
  const all = new Headers({ ...HEADERS, ...headers });
  for (const cookie of cookies) all.append("set-cookie", cookie);
  return new Response(body, { status, headers: all });
};

/** Redirects with 303, so that a form is not sent again. */
export const redirect = (location: string, cookies: ReadonlyArray<string> = []): Response =>
  respond(303, null, { location }, cookies);

/** A refusal without a page, for requests that no person makes. */
export const refuse = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  respond(status, null, headers);

/** The sentence for the user, by failure. */
interface Explained {
  readonly status: number;
  readonly sentence: string;
}

const EXPIRED = { status: 400, sentence: "This sign-in has expired or was used already." };
const UNAVAILABLE = { status: 503, sentence: "Signing in does not work at the moment." };
const BROKEN = { status: 500, sentence: "Signing in does not work. The site's owner was told." };

const explanations: Readonly<Record<OAuthError["_tag"], Explained>> = {
  AccessDenied: { status: 403, sentence: "You did not allow access." },
  StateMismatch: EXPIRED,
  CallbackMalformed: EXPIRED,
  CodeExpired: EXPIRED,
  InvalidGrant: EXPIRED,
  ConsentExpired: EXPIRED,
  NotSignedIn: EXPIRED,
  IssuerMismatch: EXPIRED,
  ServerUnavailable: UNAVAILABLE,
  OAuthTransportError: UNAVAILABLE,
  TokenStoreFailed: UNAVAILABLE,
  AuthorizationFailed: BROKEN,
  InvalidClient: BROKEN,
  InvalidScope: BROKEN,
  InsufficientScope: BROKEN,
  RequestRejected: BROKEN,
  UnexpectedRedirect: BROKEN,
  OAuthResponseMalformed: BROKEN,
  ConfigurationInvalid: BROKEN,
  LoopbackListenFailed: BROKEN,
};

/** The status that users get for a failure. */
export const statusOf = (error: OAuthError): number => explanations[error._tag].status;

const page = (sentence: string, more = ""): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in</title><p>${sentence}</p>${more}</html>`;

const HTML = { "content-type": "text/html; charset=utf-8" } as const;

/** The exchange takes its time: the browser comes again by itself. */
export const waitingPage = (): Response =>
  respond(202, page("Signing in takes longer than usual. Please wait."), { ...HTML, refresh: "1" });

/** The browser's cookie is gone, but the session may still be in the store. */
export const signedOutHerePage = (cookies: ReadonlyArray<string>): Response => {
  const sentence =
    "You are signed out in this browser. The server could not end the session: it ends by itself.";
  return respond(503, page(sentence), { ...HTML, "retry-after": "5" }, cookies);
};

/** A response of the application, with cookies of ours. */
export const withCookies = (response: Response, cookies: ReadonlyArray<string>): Response => {
  if (cookies.length === 0) return response;
  const { body, status, statusText } = response;
  const headers = new Headers(response.headers);
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(body, { status, statusText, headers });
};

/**
 * The page for a failure, with a link to sign in again below `base`. With `isComing` the browser
 * comes again by itself: its flow can still be finished.
 */
export const errorPage = (
  error: OAuthError,
  base: string,
  cookies: ReadonlyArray<string>,
  isComing = false,
): Response => {
  const { sentence, status } = explanations[error._tag];
  const wait = error._tag === "ServerUnavailable" ? error.retryAfter : undefined;
  const seconds = wait === undefined ? 5 : Math.ceil(Duration.toSeconds(wait));
  return respond(
    status,
    page(sentence, `<p><a href="${base}/login">Sign in again</a></p>`),
    {
      ...HTML,
      ...(status === 503 && { "retry-after": String(seconds) }),
      ...(isComing && { refresh: String(seconds) }),
    },
    cookies,
  );
};
