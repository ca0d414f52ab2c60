/**
 * `gamedata token`: asking the server about a token, and ending one. Tokens are read from files, never from the command line.
 */
import { Effect, Option, Redacted } from "effect";
import { Command, Flag } from "effect/cli";
import { connection } from "@game-data/cli-kit/Service";
import { failure } from "@game-data/cli-kit/Failure";
import { readText } from "@game-data/cli-kit/Input";
import { facts, print } from "@game-data/cli-kit/Output";
import { connected, settings } from "@game-data/cli-kit/Settings";

const file = Flag.String("file").pipe(
  Flag.withDescription("A file with the token, or - for standard input (default: your own token)"),
  Flag.optional,
);

/** The token in question, and the token that asks. */
const tokensFor = Effect.fnUntraced(function* (
  path: Option.Option<string>,
  scope: "oauth:introspect" | "oauth:revoke",
) {
  const from = yield* settings;
  const { oauthClient, sessionFor } = yield* connection;
  const client = yield* oauthClient(from);
  const tokens = yield* Effect.flatMap(sessionFor(from, [scope]), (session) => session.tokens);
  if (!tokens.scopes.includes(scope))
    return yield* failure("scope-missing", `Your token lacks ${scope}.`, {
      next: `sign in for it: gamedata login --scope ${scope}`,
    });
  const text = Option.isSome(path) ? (yield* readText(path.value)).trim() : undefined;
  if (text === "") return yield* failure("request-invalid", "There is no token in the input.");
  const subject = text === undefined ? tokens.accessToken : Redacted.make(text);
  return { client, subject, using: tokens.accessToken, isOwn: text === undefined, from };
});

const introspectCommand = Command.make(
  "introspect",
  { file },
  Effect.fnUntraced(function* ({ file: path }) {
    const { Introspection } = yield* Effect.promise(() => import("@game-data/oauth-pkce"));
    const { client, subject, using } = yield* tokensFor(path, "oauth:introspect");
    const { claims: _, ...status } = yield* Introspection.introspect(client, subject, { using });
    yield* print(status, ({ active, clientId, exp, scopes, sub, username }) =>
      facts([
        ["active", active ? "yes" : "no"],
        ["account", username],
        ["uuid", sub],
        ["client", clientId],
        ["scopes", scopes.length === 0 ? undefined : scopes.join(" ")],
        ["until", exp === undefined ? undefined : new Date(exp * 1000).toISOString()],
      ]),
    );
  }),
).pipe(Command.withDescription("Ask the server what a token is worth"));

const revokeCommand = Command.make(
  "revoke",
  { file },
  Effect.fnUntraced(function* ({ file: path }) {
    const { Revocation } = yield* Effect.promise(() => import("@game-data/oauth-pkce"));
    const { signOut } = yield* Effect.promise(() => import("@game-data/cli-kit/SignOut"));
    const { client, from, isOwn, subject, using } = yield* tokensFor(path, "oauth:revoke");
    if (isOwn) yield* signOut(from);
    else yield* Revocation.revoke(client, subject, { using });
    yield* print({ revoked: true }, () =>
      isOwn ? "Revoked; you are signed out." : "Revoked, if it was a token of this server.",
    );
  }),
).pipe(Command.withDescription("End a token; your own signs you out"));

/** The command and its subcommands. */
export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Ask about tokens and revoke them"),
  Command.withSubcommands([introspectCommand, revokeCommand]),
  connected,
);
