/** How an examination reaches a service. */
import type { Scope, Words } from "@game-data/contract";
import * as Effect from "effect/Effect";
import { parseJson } from "../internal/encoding.ts";
import type { Exchange } from "./report.ts";

/** A service under examination. */
export interface Deployment {
  readonly baseUrl: string;
  /** Resolves to an access token for exactly these scopes; `undefined` if there is none. */
  readonly tokenFor: (scopes: ReadonlyArray<Scope>) => Promise<string | undefined>;
  /** The deployment's words. Default: the specification's. */
  readonly words?: Words;
  /** Sends the requests, and waits for rate limits if the service has any. Default: the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Requests a token. Returns `undefined` if the deployment has none, or its function rejects. */
export const tokenOf = ({ tokenFor }: Deployment, scopes: ReadonlyArray<Scope>) =>
  scopes.length === 0
    ? Effect.undefined
    : Effect.promise(() => tokenFor(scopes).catch(() => undefined));

/** Sends a request. Succeeds with the response as it arrived, of any status. */
export const send = (
  { baseUrl, fetch: sendRequest = fetch }: Deployment,
  target: string,
  token: string | undefined,
) =>
  Effect.tryPromise(async (): Promise<Exchange> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await sendRequest(new Request(`${baseUrl}${target}`, { headers }));
    const { headers: received, status } = response;
    return { status, headers: received, body: parseJson(await textOf(response)) };
  });

/** The largest body that is read, decompressed: that of the clients. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The text of a response. Rejects beyond 64 MiB, and reads no more. */
const textOf = async (response: Response): Promise<string> => {
  const pieces: Array<Uint8Array<ArrayBuffer>> = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.byteLength;
    // Leaving the loop cancels the body.
    if (length > MAX_BYTES) throw new RangeError(`The body has more than ${MAX_BYTES} bytes.`);
    pieces.push(piece);
  }
  return new Blob(pieces).text();
};
