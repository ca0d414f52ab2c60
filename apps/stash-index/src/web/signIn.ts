/**
 * Sign-in, and the items of the signed-in user: `createSignIn` keeps the tokens, browsers get a
 * random session id.
 */
import type { GameApiService } from "@game-data/api-client";
import { createPublicOAuth, memoryStore } from "@game-data/oauth-pkce/promise";
import { createSignIn, type SignedInUser } from "@game-data/oauth-pkce/web";
import type { Item } from "@game-data/schemas";
import { Effect } from "effect";
import { HttpServerRequest } from "effect/http";
import { NotInIndex, ServiceFailed, SignInNeeded } from "./Api.ts";

/** The client that users sign in with. */
export interface SignInClient {
  readonly authUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

/** The sign-in of a server; sessions end with the process. */
export const openSignIn = (options: SignInClient) => {
  const { client } = createPublicOAuth(options);
  return Effect.acquireRelease(
    Effect.promise(() =>
      createSignIn({
        client,
        scopes: ["account:profile", "account:stashes", "account:characters"],
        store: memoryStore(),
        keys: { current: "process", keys: { process: crypto.getRandomValues(new Uint8Array(32)) } },
        afterSignOut: "/",
        log: rarely(),
      }),
    ),
    (signIn) => Effect.promise(() => signIn.close()),
  );
};

/** A log for what anybody may cause with each request: the same line is not repeated within a minute. */
const rarely = () => {
  let last = { text: "", at: 0 };
  return (text: string) => {
    if (text === last.text && Date.now() - last.at < 60_000) return;
    last = { text, at: Date.now() };
    console.error(text);
  };
};

/** The sign-in of a server. */
export type SignIn = Effect.Success<ReturnType<typeof openSignIn>>;

/** The user of this request, if somebody is signed in. The store is in memory: it never fails. */
export const currentUser = Effect.fnUntraced(function* (signIn: SignIn | undefined) {
  if (signIn === undefined) return undefined;
  const { headers } = yield* HttpServerRequest.HttpServerRequest;
  const state = yield* Effect.promise(() => signIn.user(headers["cookie"]));
  return state._tag === "SignedIn" ? state.user : undefined;
});

/** The signed-in user, or the refusal. */
export const requireUser = Effect.fnUntraced(function* (signIn: SignIn | undefined) {
  return (yield* currentUser(signIn)) ?? (yield* new SignInNeeded({ detail: "Sign in first." }));
});

const failed = (error: { readonly _tag: string }) =>
  // Messages of the client hold no token; the tag alone is enough for the page.
  new ServiceFailed({ detail: `The service did not answer the request (${error._tag}).` });

/** Lists the tabs and characters that a user may take items from. */
export const listSources = Effect.fnUntraced(function* (
  api: GameApiService,
  user: SignedInUser,
  league: string,
) {
  const own = api.as(user.credentials);
  const [tabs, characters] = yield* Effect.all(
    [own.stashes.list({ league }), own.characters.list()],
    {
      concurrency: 2,
    },
  );
  return {
    tabs: tabs
      .flatMap((tab) => (tab.type === "Folder" ? (tab.children ?? []) : [tab]))
      .map(({ id, name }) => ({ id, name })),
    characters: characters
      .filter((character) => character.league === league)
      .map(({ name }) => ({ id: name, name })),
  };
}, Effect.mapError(failed));

/** The items of one tab or character. */
export const listOwnItems = Effect.fnUntraced(function* (
  api: GameApiService,
  user: SignedInUser,
  from: { readonly league: string; readonly tab?: string; readonly character?: string },
) {
  const own = api.as(user.credentials);
  const items = yield* (
    from.character === undefined
      ? Effect.map(
          own.stashes.get({ league: from.league, stash_id: from.tab ?? "" }),
          (tab) => tab?.items,
        )
      : Effect.map(own.characters.get({ name: from.character }), (found) =>
          found === null ? undefined : [...(found.equipment ?? []), ...(found.inventory ?? [])],
        )
  ).pipe(Effect.mapError(failed));
  if (items === undefined || items === null)
    return yield* new NotInIndex({ detail: "The account has no such tab or character." });
  return items as ReadonlyArray<Item>;
});
