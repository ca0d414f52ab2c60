/**
 * One token as credentials, which either face takes.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Redacted from "effect/Redacted";
import { succeed, type Tokens } from "../pipeline/Call.ts";

/** The tokens of a text or of a redacted one; `undefined`: these credentials are something else. */
export const fixedTokens = (credentials: unknown): Tokens | undefined => {
  const token = typeof credentials === "string" ? Redacted.make(credentials) : credentials;
  if (!Redacted.isRedacted(token)) return undefined;
  const taken = succeed({ token: token as Redacted.Redacted, scopes: undefined });
  return {
    // One token has one identity, however often it is handed in.
    identity: `token-${fingerprint(Redacted.value(token as Redacted.Redacted))}`,
    renews: false,
    take: (_host, _refused, done) => {
      done(taken);
      return undefined;
    },
  };
};

/** The error of credentials that are none. */
export const credentialsInvalid = () =>
  new ConfigurationInvalid({
    option: "credentials",
    reason: "must be a token, or a function, a session or a source that gives one",
  });

/** 53 bits of a hash (cyrb53): enough to tell users apart, and not reversible to the token. */
const fingerprint = (text: string): string => {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
};
