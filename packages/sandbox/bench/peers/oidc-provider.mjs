// oidc-provider with its in-memory adapter and the client-credentials grant: another OAuth server
// on this machine.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const provider = new Provider("http://127.0.0.1", {
  features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  scopes: ["service:leagues"],
  clients: [
    {
      client_id: "example-service",
      client_secret: "example-secret",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    },
  ],
});
const server = createServer(provider.callback());
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`),
);
