/**
 * A sandbox and a client that may read its streams: the service of the examples.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { GameApi } from "@game-data/api-client";
import { startSandbox } from "@game-data/sandbox";
import { Layer } from "effect";

export const sandboxApi = async (
  options: Parameters<typeof startSandbox>[0] = { seed: 1 },
  scopes: ReadonlyArray<string> = ["service:psapi", "service:cxapi"],
) => {
  const sandbox = await startSandbox(options);
  const response = await fetch(`${sandbox.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId: "example-service", scopes }),
  });
  const { access_token: credentials } = (await response.json()) as { access_token: string };
  const api = GameApi.layer({
    baseUrl: sandbox.baseUrl,
    userAgent: { clientId: "example-service", version: "1.0.0", contact: "you@example.com" },
    credentials,
  }).pipe(Layer.provide(NodeHttpClient.layerUndici));
  return { sandbox, api, [Symbol.asyncDispose]: () => sandbox.close() };
};
