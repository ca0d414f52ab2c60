/** `gamedata token`. Tokens come from files, never from the command line, which other users see. */
import { Effect, Redacted } from "effect";
import { command, group, load, textFlag } from "../command.ts";
import { connected, settings } from "../config.ts";
import { Failure } from "../failures.ts";
import { readText } from "../input.ts";
import { print } from "../print.ts";

const file = textFlag("file", "File with the token, or - for standard input (default: your own)");

/** Returns the client, the token to look at, and your own token that authorizes the request. */
const tokensFor = Effect.fnUntraced(function* (
  scope: "oauth:introspect" | "oauth:revoke",
  path: string | undefined,
) {
  const from = yield* settings;
  const connect = yield* load(() => import("../connect.ts"));
  const { InsufficientScope, TokenCall } = yield* load(() => import("@game-data/oauth-pkce"));
  const client = yield* connect.oauthClient(from);
  const { accessToken: using, scopes } = yield* connect.tokensFor(from, [scope]);
  if (!scopes.includes(scope)) return yield* new InsufficientScope({ scope });
  const text = path === undefined ? undefined : (yield* readText(path)).trim();
  if (text === "")
    return yield* new Failure({ code: "InvalidRequest", message: "The input has no token." });
  return { TokenCall, client, token: text === undefined ? using : Redacted.make(text), using };
});

const introspect = command(
  "introspect",
  [
    "Ask the OAuth server whether a token is active, and for whom. Needs oauth:introspect.",
    "gamedata token introspect --file token.txt",
  ],
  { file },
  Effect.fnUntraced(function* ({ file: path }) {
    const { TokenCall, client, token, using } = yield* tokensFor("oauth:introspect", path);
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
    const { TokenCall, client, token, using } = yield* tokensFor("oauth:revoke", path);
    const { signOut } = yield* load(() => import("../connect.ts"));
    if (path === undefined) yield* signOut(yield* settings);
    else yield* TokenCall.revoke(client, token, { using });
    yield* print({ revoked: true });
  }),
);

export const token = group("token", "Introspect and revoke tokens", [introspect, revoke]).pipe(
  connected,
);
