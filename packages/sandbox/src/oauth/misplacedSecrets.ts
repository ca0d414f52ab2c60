/**
 * Secrets that a request of the data API carries where they do not belong (§5), for the audit. Values
 * are compared by their hashes, and named without their values.
 */
import type { SandboxState } from "../State.ts";
import type { Exchange } from "../http/Exchange.ts";
import { wordsOf } from "../internal/words.ts";
import { basicCredentials } from "./authenticate.ts";

/** Headers that are not searched: those of HTTP libraries, and the one that is for tokens. */
const USUAL_HEADERS: ReadonlySet<string> = new Set(
  wordsOf(`
  accept accept-encoding accept-language authorization cache-control connection content-length
  content-type cookie host origin pragma priority referer sec-fetch-dest sec-fetch-mode
  sec-fetch-site traceparent transfer-encoding user-agent
`),
);

/** Makes the function that lists the secrets of a request that are in the wrong place. */
export const makeMisplacedSecrets = ({ clients, grants }: SandboxState) => {
  const secretOf = (hash: string): string | undefined => {
    if (grants.token(hash)?.kind === "refresh") return "a refresh token";
    return clients.all().some(({ secretHash }) => secretHash === hash)
      ? "a client secret"
      : undefined;
  };
  const at = (place: string, hash: string | undefined): ReadonlyArray<string> => {
    const secret = hash === undefined ? undefined : secretOf(hash);
    return secret === undefined ? [] : [`${secret} ${place}`];
  };
  return ({ credentials, headers }: Exchange): ReadonlyArray<string> => {
    const { authorization = "" } = headers;
    const { secret } = (/^basic /iu.test(authorization) && basicCredentials(authorization)) || {};
    return [
      ...(credentials.identity === undefined ? at("as bearer", credentials.tokenHash) : []),
      ...at("by HTTP Basic", secret && grants.hash(secret)),
      ...Object.entries(headers)
        .filter(([name]) => !USUAL_HEADERS.has(name) && /^[a-z-]{1,40}$/u.test(name))
        .flatMap(([name, value = ""]) => at(`in the header ${name}`, grants.hash(value))),
    ];
  };
};
