import { createGameApi } from "@game-data/api-client/promise";
import { startSandbox } from "@game-data/sandbox";

const sandbox = await startSandbox();

// A token for an account of the sandbox. A real program signs its user in: see the guides.
const token = async () => {
  const response = await fetch(`${sandbox.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      clientId: "example-web",
      account: sandbox.accounts[0]?.name,
      scopes: ["account:profile"],
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
};

const api = createGameApi({
  baseUrl: sandbox.baseUrl,
  credentials: token,
  userAgent: { clientId: "example-web", version: "1.0.0", contact: "me@example.com" },
});
console.log((await api.profile.get()).name);

await api.close();
await sandbox.close();
