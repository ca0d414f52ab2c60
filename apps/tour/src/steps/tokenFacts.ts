import { Clock, Effect } from "effect";
import { duration } from "../report.ts";
import type { ApplicationSession, UserSession } from "../sessions.ts";

/** Returns what may be printed about the tokens of a session. */
export const tokenFacts = Effect.fnUntraced(function* ({
  client,
  session,
}: UserSession | ApplicationSession) {
  const { consentExpiresAt, expiresAt, scopes } = yield* session.tokens;
  const now = yield* Clock.currentTimeMillis;
  const expiry = (end: typeof expiresAt) =>
    typeof end === "number" ? `expires in ${duration(end - now)}` : ENDLESS[end];
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    ["client", client.clientId],
    ["scopes", scopes.join(" ")],
    ["access token", expiry(expiresAt)],
    ["consent", consentExpiresAt === undefined ? undefined : expiry(consentExpiresAt)],
  ];
  return rows;
});

const ENDLESS = { never: "valid until revoked", unknown: "expiry unknown" } as const;
