// Signs a user in through the browser, once, and lists the characters of the account.
import { createGameApi } from "@game-data/api-client/promise";
import { openFileStore, signedIn } from "@game-data/oauth-pkce/node/promise";
import { createPublicOAuth } from "@game-data/oauth-pkce/promise";

const {
  GAME_DATA_AUTH_URL: authUrl = "https://auth.example.com",
  GAME_DATA_BASE_URL: baseUrl = "https://api.example.com",
  GAME_DATA_CLIENT_ID: clientId = "my-program",
  GAME_DATA_TOKENS: folder = "tokens",
} = process.env;
const userAgent = { clientId, version: "1.0.0", contact: "me@example.com" };

const redirectUri = "http://127.0.0.1/callback"; // a free port is added
const oauth = createPublicOAuth({ authUrl, clientId, redirectUri, userAgent });
const session = oauth.session({ store: await openFileStore(folder) });
// Does nothing while the stored tokens work. The address is printed, too.
await signedIn(oauth, session, {
  scopes: ["account:characters"],
  ...(process.env["CI"] && { open: false }), // no user is present
});

const api = createGameApi({ baseUrl, credentials: session, userAgent });
for (const { class: name, level, ...character } of await api.characters.list())
  console.log(`${level} ${name} ${character.name}`);
await api.close();
await session.close();
