/** A sandbox and a client for it, as the tests want them. */
import type { startSandbox } from "@game-data/sandbox";
import type { Layer } from "effect";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import * as Layers from "effect/Layer";
import { GameApi, type GameApiOptions, type PolicyLimiterOptions } from "../src/index.ts";

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

export const userAgent = { clientId: "example-web", version: "1.0.0", contact: "dev@example.com" };

export const post = async (url: string, body: unknown): Promise<unknown> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
};

/** A token that nobody had to sign in for. */
export const tokenFor = async (
  sandbox: Sandbox,
  scopes: ReadonlyArray<string>,
  options: { readonly account?: string; readonly clientId?: string } = {},
): Promise<string> => {
  const answer = (await post(`${sandbox.controlUrl}/tokens`, {
    clientId: options.clientId ?? "example-web",
    account: options.account ?? sandbox.accounts[0]?.name,
    scopes,
  })) as { readonly access_token: string };
  return answer.access_token;
};

/** Makes a client over undici. */
export const clientLayer = (
  sandbox: Pick<Sandbox, "baseUrl">,
  options: Partial<GameApiOptions> & { readonly limiter?: PolicyLimiterOptions } = {},
): Layer.Layer<GameApi> =>
  GameApi.layer({ baseUrl: sandbox.baseUrl, userAgent, ...options }).pipe(
    Layers.provide(NodeHttpClient.layerUndici),
    Layers.orDie,
  );
