/**
 * How an examination reaches a service. `deploymentAt` sends plain requests; a program with its own
 * client, limiter and sign-in implements `Deployment` instead.
 */
import { identityWords, type Scope, type Words } from "@game-data/contract";
import * as Effect from "effect/Effect";
import type { Exchange } from "./report.ts";

/** A request of the examination. */
export interface Question {
  /** Path and query, in the deployment's words. */
  readonly target: string;
  /** The name under which a rate limiter learns the limits of the request. */
  readonly route: string;
  /** Scopes of the token. None: the request is sent without a token. */
  readonly scopes: ReadonlyArray<Scope>;
  /** A token to send instead, whatever its scopes. */
  readonly token?: string | undefined;
}

/** Why there is no response. */
export interface Unanswered {
  /** A request is not sent without a token for its scopes. A lost response is a deviation. */
  readonly kind: "not permitted" | "no response";
  readonly reason: string;
}

/** A service under examination. `E` ends the examination. */
export interface Deployment<E = never> {
  readonly baseUrl: string;
  readonly words: Words;
  /** Sends a request. Returns the response as it arrived, of any status. */
  readonly ask: (question: Question) => Effect.Effect<Exchange | Unanswered, E>;
  /** Whether there is a token for exactly these scopes, and for no others. */
  readonly hasToken: (scopes: ReadonlyArray<Scope>) => Effect.Effect<boolean>;
}

/** Options of `deploymentAt`. */
export interface DeploymentOptions {
  readonly baseUrl: string;
  /** Resolves to an access token for exactly these scopes; `undefined` if there is none. */
  readonly tokenFor: (scopes: ReadonlyArray<Scope>) => Promise<string | undefined>;
  /** The deployment's words. Default: the specification's. */
  readonly words?: Words;
  /** Sends the requests. Default: the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A service at an address. Requests do not wait for rate limits, so use it for your own service. */
export const deploymentAt = ({
  baseUrl,
  fetch: send = fetch,
  tokenFor,
  words = identityWords,
}: DeploymentOptions): Deployment => {
  const ask = async ({ scopes, target, token }: Question): Promise<Exchange | Unanswered> => {
    const own = token ?? (scopes.length === 0 ? undefined : await tokenFor(scopes));
    if (own === undefined && scopes.length > 0)
      return { kind: "not permitted", reason: `no token for ${scopes.join(", ")}` };
    const headers = own === undefined ? {} : { authorization: `Bearer ${own}` };
    const response = await send(new Request(`${baseUrl}${target}`, { headers }));
    return exchangeOf(target, response, await bodyOf(response));
  };
  return {
    baseUrl,
    words,
    ask: (question) =>
      Effect.promise(() =>
        ask(question).catch((cause: unknown): Unanswered => ({
          kind: "no response",
          reason: String(cause),
        })),
      ),
    hasToken: (scopes) =>
      Effect.promise(() =>
        tokenFor(scopes).then(
          (token) => token !== undefined,
          () => false,
        ),
      ),
  };
};

/** The largest body that is read, decompressed: that of the clients. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The whole body of a response. Rejects beyond 64 MiB, and reads no more. */
export const bodyOf = async (response: Response): Promise<ArrayBuffer> => {
  const pieces: Array<Uint8Array<ArrayBuffer>> = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.byteLength;
    // Leaving the loop cancels the body.
    if (length > MAX_BYTES) throw new RangeError(`The body has more than ${MAX_BYTES} bytes.`);
    pieces.push(piece);
  }
  return new Blob(pieces).arrayBuffer();
};

/** A response as the examination reads it. */
export const exchangeOf = (
  target: string,
  { headers, status }: Pick<Response, "headers" | "status">,
  body: ArrayBuffer,
): Exchange => ({
  request: `GET ${target}`,
  status,
  headers,
  text: new TextDecoder().decode(body),
});
