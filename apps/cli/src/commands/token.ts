/** `gamedata token`. Tokens come from files, never from the command line, which other users see. */
import { Effect, Option, Redacted } from "effect";
import { command, group, load, textFlag } from "../command.ts";
import { connected, settings } from "../config.ts";
import { Failure } from "../failures.ts";
import { readText } from "../input.ts";
import { print } from "../print.ts";

const file = textFlag("file", "File with the token, or - for standard input (default: your own)");

/** Returns the client, the token to look at, and your own token that authorizes the request. */
const tokensFor = Effect.fnUntraced(function* (
  scope: "oauth:introspect" | "oauth:revoke",
  path: Option.Option<string>,
) {
  const from = yield* settings;
  const { oauthClient, sessionFor } = yield* load(() => import("../connect.ts"));
  const client = yield* oauthClient(from);
  const own = yield* Effect.flatMap(sessionFor(from, [scope]), (session) => session.tokens);
  if (!own.scopes.includes(scope)) {
    const { InsufficientScope } = yield* load(() => import("@game-data/oauth-pkce"));
    return yield* new InsufficientScope({ scope });
  }
  const text = Option.isSome(path) ? (yield* readText(path.value)).trim() : undefined;
  if (text === "")
    return yield* new Failure({ code: "InvalidRequest", message: "The input has no token." });
  const token = text === undefined ? own.accessToken : Redacted.make(text);
  return { from, client, token, using: own.accessToken };
});

const introspect = command(
  "introspect",
  [
    "Ask the OAuth server whether a token is active, and for whom. Needs oauth:introspect.",
    "gamedata token introspect",
    "gamedata token introspect --file token.txt",
  ],
  { file },
  Effect.fnUntraced(function* ({ file: path }) {
    const { client, token, using } = yield* tokensFor("oauth:introspect", path);
    const { TokenCall } = yield* load(() => import("@game-data/oauth-pkce"));
    const { claims: _, ...status } = yield* TokenCall.introspect(client, token, { using });
    yield* print(status);
  }),
);

const revoke = command(
  "revoke",
  [
    "Revoke a token. Without --file it revokes your own and signs you out.",
    "gamedata token revoke --file -",
  ],
  { file },
  Effect.fnUntraced(function* ({ file: path }) {
    const { client, from, token, using } = yield* tokensFor("oauth:revoke", path);
    if (Option.isNone(path)) {
      const { signOut } = yield* load(() => import("../signOut.ts"));
      yield* signOut(from);
    } else {
      const { TokenCall } = yield* load(() => import("@game-data/oauth-pkce"));
      yield* TokenCall.revoke(client, token, { using });
    }
    yield* print({ revoked: true });
  }),
);

export const token = group("token", "Introspect and revoke tokens", [introspect, revoke]).pipe(
  connected,
);
