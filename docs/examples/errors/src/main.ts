// The most common cause of `invalid_grant`: two programs have the same refresh token, which works once.
import { createPublicOAuth, InvalidGrant } from "@game-data/oauth-pkce/promise";
import { startSandbox } from "@game-data/sandbox";

const sandbox = await startSandbox();
const { authUrl } = sandbox;
const redirectUri = "http://127.0.0.1/callback";
const oauth = createPublicOAuth({ authUrl, clientId: "example-desktop", redirectUri });

const { pending, url } = await oauth.start({ scopes: ["account:profile"] });
const callback = await oauth.validateCallback(pending, await sandbox.consent(url));
const tokens = await oauth.exchange(callback);

await oauth.refresh(tokens); // one program: its response has the next refresh token
try {
  await oauth.refresh(tokens); // another program, with a copy of the first token
} catch (error) {
  if (!(error instanceof InvalidGrant)) throw error;
  console.log(error.error, error.status);
  console.log(error.message);
}
await sandbox.close();
