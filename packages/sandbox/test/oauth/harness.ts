/**
 * Helpers for the tests of the OAuth server: a sandbox in process, PKCE pairs, requests and the way
 * through the pages.
 */
import { createSandboxHandler, type SandboxHandler, type SandboxOptions } from "@game-data/sandbox";
import { createHash, randomBytes } from "node:crypto";

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
export const NOON = "2026-03-01T12:00:00.000Z";

/** A sandbox in process whose clock stands still, and short words for what tests do with it. */
export const openSandbox = async (options: SandboxOptions = {}) => {
  const sandbox = await createSandboxHandler({ now: NOON, ...options });
  const { authUrl, baseUrl, controlUrl } = sandbox;
  const control = async (path: string, body: unknown): Promise<Response> =>
    sandbox.fetch(
      new Request(`${controlUrl}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  await control("/clock", { freeze: true, set: options.now ?? NOON });
  const secretOf = (clientId: string): string =>
    sandbox.clients.find((client) => client.clientId === clientId)?.clientSecret ?? "";
  const post = (
    path: string,
    form: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    sandbox.fetch(
      new Request(`${authUrl}${path}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
      }),
    );
  const authorizeUrl = (parameters: Record<string, string | undefined> = {}): string => {
    const query = new URLSearchParams();
    const all: Record<string, string | undefined> = {
      client_id: WEB.id,
      response_type: "code",
      scope: "account:profile",
      state: "a-state",
      redirect_uri: WEB.redirectUri,
      code_challenge: pkce().challenge,
      code_challenge_method: "S256",
      ...parameters,
    };
    for (const [name, value] of Object.entries(all)) {
      if (value !== undefined) query.append(name, value);
    }
    return `${authUrl}/oauth/authorize?${query}`;
  };
  const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    sandbox.fetch(new Request(url, { headers, redirect: "manual" }));

  /** A code, consented to without the pages. */
  const codeFor = async (
    parameters: Record<string, string> = {},
    account = "Emberlyn#4071",
  ): Promise<{ code: string; verifier: string; clientId: string; redirectUri: string }> => {
    const { verifier, challenge } = pkce();
    const url = authorizeUrl({ code_challenge: challenge, ...parameters });
    const answer = (await (await control("/authorize", { url, account })).json()) as {
      redirect: string;
    };
    const code = new URL(answer.redirect).searchParams.get("code") ?? "";
    return {
      code,
      verifier,
      clientId: parameters["client_id"] ?? WEB.id,
      redirectUri: parameters["redirect_uri"] ?? WEB.redirectUri,
    };
  };

  const exchangeForm = (
    flow: Awaited<ReturnType<typeof codeFor>>,
    changes: Record<string, string | undefined> = {},
  ): Record<string, string> => {
    const secret = secretOf(flow.clientId);
    const form: Record<string, string | undefined> = {
      grant_type: "authorization_code",
      client_id: flow.clientId,
      client_secret: secret === "" ? undefined : secret,
      code: flow.code,
      redirect_uri: flow.redirectUri,
      code_verifier: flow.verifier,
      ...changes,
    };
    return Object.fromEntries(
      Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  };
  const exchange = (
    flow: Awaited<ReturnType<typeof codeFor>>,
    changes: Record<string, string | undefined> = {},
  ): Promise<Response> => post("/oauth/token", exchangeForm(flow, changes));

  /** Tokens of a consent, through code and exchange. */
  const tokensFor = async (
    parameters: Record<string, string> = {},
    account = "Emberlyn#4071",
  ): Promise<TokenBody> =>
    (await (await exchange(await codeFor(parameters, account))).json()) as TokenBody;

  const refresh = (
    token: string | undefined,
    client = WEB.id,
    changes: Record<string, string> = {},
  ): Promise<Response> => {
    const secret = secretOf(client);
    return post("/oauth/token", {
      grant_type: "refresh_token",
      client_id: client,
      ...(secret === "" ? {} : { client_secret: secret }),
      refresh_token: token ?? "",
      ...changes,
    });
  };
  const clientCredentials = (
    scope: string,
    client = WEB.id,
    changes: Record<string, string> = {},
  ): Promise<Response> =>
    post("/oauth/token", {
      grant_type: "client_credentials",
      client_id: client,
      client_secret: secretOf(client),
      scope,
      ...changes,
    });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  /** The status of the profile endpoint under a token: 200 while it is in force, 401 afterwards. */
  const useToken = async (token: string): Promise<number> =>
    (await get(`${baseUrl}/profile`, bearer(token))).status;
  const advance = (duration: string): Promise<Response> => control("/clock", { advance: duration });

  return {
    ...sandbox,
    sandbox: sandbox as SandboxHandler,
    control,
    secretOf,
    post,
    get,
    authorizeUrl,
    codeFor,
    exchange,
    exchangeForm,
    tokensFor,
    refresh,
    clientCredentials,
    bearer,
    useToken,
    advance,
  };
};

export type TestSandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Reads the JSON of an error response. */
export const errorOf = async (response: Response): Promise<ErrorBody> =>
  (await response.json()) as ErrorBody;
