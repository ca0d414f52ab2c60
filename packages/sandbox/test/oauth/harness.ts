/**
 * Helpers for the tests of the OAuth server: a sandbox in process, PKCE pairs, requests and the way
 * through the pages.
 */
import { type ConsentOptions, createSandboxHandler, type SandboxOptions } from "@game-data/sandbox";
import { createHash, randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { NOON } from "../control/harness.ts";

export interface TokenBody {
  readonly access_token: string;
  readonly expires_in: number | null;
  readonly token_type: string;
  readonly scope: string;
  readonly username: string;
  readonly sub: string;
  readonly refresh_token?: string;
}

export interface ErrorBody {
  readonly error: string;
  readonly error_description: string;
}

/** A verifier and its challenge. */
export const pkce = () => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};

export const WEB = { id: "example-web", redirectUri: "https://app.example.com/callback" };
export const DESKTOP = { id: "example-desktop", redirectUri: "http://127.0.0.1:41999/callback" };

/** Query of an authorization request with `changes`; undefined leaves a parameter out. */
export const authorizeQuery = (changes: Record<string, string | undefined> = {}) =>
  new URLSearchParams(
    defined({
      client_id: WEB.id,
      response_type: "code",
      scope: "account:profile",
      state: "a-state",
      redirect_uri: WEB.redirectUri,
      code_challenge: pkce().challenge,
      code_challenge_method: "S256",
      ...changes,
    }),
  );

const defined = (form: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

type Form = Record<string, string | undefined>;

/** What an exchange needs. */
interface Flow {
  readonly code: string;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

/**
 * A sandbox in process whose clock stands still, and short words for what tests do with it; closed
 * when the file is done.
 */
export const openSandbox = async (options: SandboxOptions = {}) => {
  const sandbox = await createSandboxHandler({ now: NOON, ...options });
  afterAll(() => sandbox.close());
  const { authUrl, baseUrl, controlUrl } = sandbox;
  await sandbox.control("POST", "/clock", { freeze: true, set: options.now ?? NOON });

  /** A request to the control plane that may be refused. */
  const ask = (path: string, body?: unknown): Promise<Response> =>
    sandbox.fetch(
      new Request(`${controlUrl}${path}`, { method: "POST", body: JSON.stringify(body) }),
    );
  const secretOf = (clientId: string): string | undefined =>
    sandbox.clients.find((client) => client.clientId === clientId)?.clientSecret;
  const post = (
    path: string,
    form: Record<string, string> | string | Uint8Array | ReadableStream,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const isForm = Object.getPrototypeOf(form) === Object.prototype;
    const body = isForm ? String(new URLSearchParams(form as Record<string, string>)) : form;
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return sandbox.fetch(
      new Request(`${authUrl}${path}`, {
        method: "POST",
        headers: { ...type, ...headers },
        body,
        duplex: "half",
      } as RequestInit),
    );
  };
  const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    sandbox.fetch(new Request(url, { headers, redirect: "manual" }));
  const authorizeUrl = (changes: Form = {}): string =>
    `${authUrl}/oauth/authorize?${authorizeQuery(changes)}`;
  /** The redirect of a consent or refusal without the pages. */
  const redirectOf = async (changes: Form = {}, answer: ConsentOptions = {}): Promise<URL> =>
    new URL(await sandbox.consent(authorizeUrl(changes), answer));

  /** A code, consented to without the pages. */
  const codeFor = async (changes: Form = {}, account?: string): Promise<Flow> => {
    const { challenge, verifier } = pkce();
    const answer = account === undefined ? {} : { account };
    const back = await redirectOf({ code_challenge: challenge, ...changes }, answer);
    const { client_id = WEB.id, redirect_uri = WEB.redirectUri } = changes;
    const code = back.searchParams.get("code") ?? "";
    return { code, verifier, clientId: client_id, redirectUri: redirect_uri };
  };
  const exchangeForm = (flow: Flow, changes: Form = {}): Record<string, string> =>
    defined({
      grant_type: "authorization_code",
      client_id: flow.clientId,
      client_secret: secretOf(flow.clientId),
      code: flow.code,
      redirect_uri: flow.redirectUri,
      code_verifier: flow.verifier,
      ...changes,
    });
  const exchange = (flow: Flow, changes: Form = {}): Promise<Response> =>
    post("/oauth/token", exchangeForm(flow, changes));
  /** Tokens of a consent, through code and exchange. */
  const tokensFor = async (changes: Form = {}, account?: string): Promise<TokenBody> =>
    tokenOf(await exchange(await codeFor(changes, account)));
  const grant = (type: string, client: string, form: Form): Promise<Response> =>
    post(
      "/oauth/token",
      defined({ grant_type: type, client_id: client, client_secret: secretOf(client), ...form }),
    );
  const refresh = (
    token: string | undefined,
    client = WEB.id,
    changes: Form = {},
  ): Promise<Response> =>
    grant("refresh_token", client, { refresh_token: token ?? "", ...changes });
  const clientCredentials = (
    scope: string,
    client = WEB.id,
    changes: Form = {},
  ): Promise<Response> => grant("client_credentials", client, { scope, ...changes });
  /** The status of the profile endpoint under a token: 200 while it is in force, 401 afterwards. */
  const useToken = async (token: string): Promise<number> =>
    (await get(`${baseUrl}/profile`, bearer(token))).status;

  return {
    ...{ ...sandbox, ask, secretOf, post, get, authorizeUrl, redirectOf, codeFor, exchange },
    ...{ exchangeForm, tokensFor, refresh, clientCredentials, useToken },
  };
};

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const basic = (text: string) => ({
  authorization: `Basic ${Buffer.from(text).toString("base64")}`,
});

export type TestSandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Reads the JSON of a token response. */
export const tokenOf = async (response: Response): Promise<TokenBody> =>
  (await response.json()) as TokenBody;

/** Reads the JSON of an error response. */
export const errorOf = async (response: Response): Promise<ErrorBody> =>
  (await response.json()) as ErrorBody;
