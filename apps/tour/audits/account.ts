/**
 * A user's program, to be audited: signs in with `oauth-pkce`, and reads what the user has with
 * `api-client`. `packages/sandbox/audits/clients.mjs` runs it through scenarios.
 */
import { OAuthClient, PkceFlow, Session } from "@game-data/oauth-pkce";
import { createGameApi } from "@game-data/api-client/promise";
import { Effect } from "effect";

const { env } = process;
const clientId = env["GAME_DATA_CLIENT_ID"] ?? "";
const userAgent = { clientId, version: "1.0.0", contact: "audit@example.com" };

/** Returns the address that the browser would bring back. */
const consent = async (url: string): Promise<string> => {
  const response = await fetch(`${env["GAME_DATA_CONTROL_URL"]}/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url }),
  });
  return ((await response.json()) as { readonly redirect: string }).redirect;
};

const signIn = Effect.gen(function* () {
  const client = yield* OAuthClient.publicClient({
    authUrl: env["GAME_DATA_AUTH_URL"] ?? "",
    clientId,
    redirectUri: "http://127.0.0.1:49152/callback",
    userAgent,
  });
  const scopes = ["account:profile", "account:characters", "account:stashes"] as const;
  const { pending, url } = yield* PkceFlow.start(client, { scopes });
  const redirect = yield* Effect.promise(() => consent(url));
  const callback = yield* PkceFlow.validateCallback(client, pending, redirect);
  const user = Session.forUser(client);
  yield* user.signIn(yield* PkceFlow.exchange(client, callback));
  return user;
});

const readAll = async (session: Session.Session): Promise<void> => {
  const api = createGameApi({
    baseUrl: env["GAME_DATA_BASE_URL"] ?? "",
    credentials: session,
    userAgent,
  });
  await api.profile.get();
  const [first, second] = await api.characters.list();
  for (const one of [first, second])
    if (one !== undefined) await api.characters.get({ name: one.name });
  const league = first?.league ?? "Standard";
  const [tab] = await api.stashes.list({ league });
  if (tab !== undefined) await api.stashes.get({ league, stash_id: tab.id });
  await api.close();
};

// A person who refuses, or a session that is over, is a failure that a program reports.
await Effect.runPromise(signIn)
  .then(readAll)
  .catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
