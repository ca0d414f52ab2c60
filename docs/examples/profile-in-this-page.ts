// The whole service and its client in one tab: a sandbox, a token for one of its accounts, a call.
import { createGameApi, fetchTransport } from "@game-data/api-client/promise";
import { createWebSandbox } from "@game-data/sandbox/web";

const sandbox = await createWebSandbox({ seed: 1 });
const call = (input: string | URL | Request, init?: RequestInit) => {
  const request = new Request(input, init);
  request.headers.delete("accept-encoding"); // no network, nothing to compress
  return sandbox.fetch(request);
};

const refused = await call(`${sandbox.baseUrl}/profile`);
console.log("without a token:", refused.status);

const issued = await call(`${sandbox.controlUrl}/tokens`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    clientId: "example-web",
    account: sandbox.accounts[0]?.name,
    scopes: ["account:profile", "account:characters"],
  }),
});
const { access_token: token } = (await issued.json()) as { access_token: string };

const api = createGameApi({
  baseUrl: sandbox.baseUrl,
  credentials: token,
  userAgent: { clientId: "example-web", version: "1.0.0", contact: "me@example.com" },
  transport: fetchTransport(call),
});
console.log((await api.profile.get()).name);
for (const { name, level } of (await api.characters.list()).slice(0, 3)) console.log(name, level);
await api.close();
