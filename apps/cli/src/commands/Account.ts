/**
 * `gamedata whoami`: who this machine speaks for.
 */
import { signInFacts } from "@game-data/cli-kit/Commands";
import { facts, print } from "@game-data/cli-kit/Output";
import { connection, gameApi } from "@game-data/cli-kit/Service";
import { connected, settings } from "@game-data/cli-kit/Settings";
import { Effect } from "effect";
import { Command } from "effect/cli";

/** The command. */
export const whoamiCommand = Command.make(
  "whoami",
  {},
  Effect.fnUntraced(function* () {
    const from = yield* settings;
    const { sessionFor } = yield* connection;
    const { describe } = yield* Effect.promise(() => import("@game-data/cli-kit/SignIn"));
    const tokens =
      from.token === undefined
        ? yield* Effect.flatMap(sessionFor(from, ["account:profile"]), (session) => session.tokens)
        : undefined;
    const hasProfile = tokens === undefined || tokens.scopes.includes("account:profile");
    const profile = hasProfile
      ? yield* Effect.flatMap(gameApi("account:profile"), (api) => api.profile.get())
      : undefined;
    const known = tokens === undefined ? undefined : describe(tokens, from);
    yield* print({ profile, ...known }, () =>
      facts([
        ["account", profile?.name ?? known?.username],
        ["uuid", profile?.uuid ?? known?.sub],
        ["locale", profile?.locale],
        ["stream", profile?.livestream?.name],
        ...(known === undefined ? [] : signInFacts(known)),
      ]),
    );
  }),
).pipe(Command.withDescription("Whom the tokens speak for, and for how long"), connected);
