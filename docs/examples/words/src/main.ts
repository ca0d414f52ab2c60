// Calls a deployment that has other names for its realms. The program uses the documented names.
import { createGameApi } from "@game-data/api-client/promise";
import { startSandbox } from "@game-data/sandbox";

const words = { console_a: "box", console_b: "station", game2: "second" }; // of the deployment

const sandbox = await startSandbox({ words }); // it uses the names of the deployment
const api = createGameApi({
  baseUrl: sandbox.baseUrl,
  credentials: () => sandbox.token({ scopes: ["service:leagues"] }),
  userAgent: { clientId: "my-program", version: "1.0.0", contact: "me@example.com" },
  words,
  fetch: (input, init) => {
    console.log("request:", new URL(input instanceof Request ? input.url : input).search);
    return fetch(input, init);
  },
});
for (const { id, realm } of (await api.leagues.list({ realm: "console_a" })).slice(0, 2))
  console.log("league:", id, "in", realm);
await api.close();
await sandbox.close();
