// A web application with a sign-in: its page shows the characters of the signed-in user.
import { createServer } from "node:http";
import { createGameApi } from "@game-data/api-client/promise";
import { drainOnSignals, openFileStore, toNode } from "@game-data/oauth-pkce/node/promise";
import { createPublicOAuth } from "@game-data/oauth-pkce/promise";
import { createSignIn } from "@game-data/oauth-pkce/web";

const {
  GAME_DATA_AUTH_URL: authUrl = "https://auth.example.com",
  GAME_DATA_BASE_URL: baseUrl = "https://api.example.com",
  GAME_DATA_CLIENT_ID: clientId = "my-app",
  GAME_DATA_TOKENS: folder = "tokens",
  PORT: port = "3000",
  SIGN_IN_KEY: key = Buffer.from("32 bytes, good for this machine.").toString("base64"),
} = process.env;
export const origin = `http://127.0.0.1:${port}`; // open this address, not `localhost`
const userAgent = { clientId, version: "1.0.0", contact: "me@example.com" };
const redirectUri = `${origin}/callback`;
const { client } = createPublicOAuth({ authUrl, clientId, redirectUri, userAgent });
const store = await openFileStore(folder);
const keys = { current: "1", keys: { 1: key } };
const signIn = await createSignIn({ client, keys, scopes: ["account:characters"], store });
const api = createGameApi({ baseUrl, userAgent }); // one client for all users

const pageFor = async (cookie = ""): Promise<string> => {
  const state = await signIn.user(cookie);
  if (state._tag !== "SignedIn") return '<a href="/auth/login?returnTo=/">Sign in</a>';
  const characters = await api.as(state.user.session).characters.list();
  const list = characters.map(({ level, name }) => `<li>${level} ${name.replaceAll("<", "&lt;")}`);
  return `${list.join("")}<form method="post" action="/auth/logout"><button>Sign out</button></form>`;
};

const auth = toNode(signIn); // answers /auth/login, /callback and /auth/logout
export const server = createServer((request, response) =>
  auth(request, response, async () => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(await pageFor(request.headers.cookie).catch((error: Error) => error.message));
  }),
).listen(Number(port), "127.0.0.1", () => console.log(`Open ${origin}`));
drainOnSignals(signIn, { server });
