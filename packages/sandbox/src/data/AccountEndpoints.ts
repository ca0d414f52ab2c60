/**
 * What belongs to the account that a token identifies: profile, leagues, characters, stashes,
 * atlas, guild (§4.2).
 *
 * An object that does not exist is `null` with status 200 (§7); a list cannot be null, so a league
 * that does not exist is 404 there (`docs/choices.md`).
 */
import { Caller, DataApi, NotFoundError } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import { Accounts } from "../clients/Accounts.ts";
import type { Realm } from "../world/Realm.ts";
import { World } from "../world/World.ts";
import type { GameOneRealm, WorldModel } from "../world/WorldModel.ts";
import { Responses } from "./Responses.ts";

/** The realm of a path: left out, it is `pc` (§4.2). */
const realmOf = <R extends Realm>(params: object): R =>
  ("realm" in params && typeof params.realm === "string" ? params.realm : "pc") as R;

interface TabPath {
  readonly league: string;
  readonly stash_id: string;
  readonly substash_id?: string;
}

/** `GET /profile` */
export const ProfileEndpoints = HttpApiBuilder.group(DataApi, "profile", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts;
    const { answer, captureOr } = yield* Responses;
    return handlers.handle(
      "get",
      captureOr(() =>
        Effect.gen(function* () {
          const { sub, username } = yield* Caller;
          const account = accounts.byUuid(sub);
          return yield* answer(() => ({
            uuid: sub,
            name: username,
            ...(account?.locale == null ? {} : { locale: account.locale }),
            ...(account?.livestream == null ? {} : { livestream: { name: account.livestream } }),
          }));
        }),
      ),
    );
  }),
);

/** `GET /account/leagues[/<realm>]` */
export const AccountLeagueEndpoints = HttpApiBuilder.group(DataApi, "accountLeagues", (handlers) =>
  Effect.gen(function* () {
    const world = yield* World;
    const { answer, captureOr } = yield* Responses;
    return handlers.handle(
      "list",
      captureOr(({ params }) =>
        Effect.gen(function* () {
          const { sub } = yield* Caller;
          return yield* answer(() => ({
            leagues: world.accountLeagues(sub, realmOf(params)).map((one) => one.record),
          }));
        }),
      ),
    );
  }),
);

/** `GET /character[/<realm>][/<name>]` */
export const CharacterEndpoints = HttpApiBuilder.group(DataApi, "characters", (handlers) =>
  Effect.gen(function* () {
    const world = yield* World;
    const { answer, captureOr } = yield* Responses;
    const list = ({ params }: { readonly params?: object }) =>
      Effect.gen(function* () {
        const { sub } = yield* Caller;
        return yield* answer(() => ({ characters: world.characters(sub, realmOf(params ?? {})) }));
      });
    const get = ({ params }: { readonly params: { readonly name: string } }) =>
      Effect.gen(function* () {
        const { sub } = yield* Caller;
        return yield* answer(() => ({
          character: world.character(sub, realmOf(params), params.name) ?? null,
        }));
      });
    return handlers
      .handle("list", captureOr(list))
      .handle("listOfRealm", captureOr(list))
      .handle("get", captureOr(get))
      .handle("getOfRealm", captureOr(get))
      .handle("getNamedLikeRealm", captureOr(get));
  }),
);

/**
 * The two questions about tabs, of an account or of its guild: all of a league, and one of them.
 */
const tabQuestions = (
  world: WorldModel,
  { answer }: Responses["Service"],
  names: { readonly list: "stashes" | "guildStashes"; readonly get: "stash" | "guildStash" },
) => ({
  list: ({ params }: { readonly params: { readonly league: string } }) =>
    Effect.gen(function* () {
      const { sub } = yield* Caller;
      const realm = realmOf<GameOneRealm>(params);
      if (!world.hasLeague(sub, realm, params.league)) return yield* noLeague(params.league);
      return yield* answer(() => ({ stashes: world[names.list](sub, realm, params.league) }));
    }),
  get: ({ params }: { readonly params: TabPath }) =>
    Effect.gen(function* () {
      const { sub } = yield* Caller;
      const { league, stash_id, substash_id } = params;
      return yield* answer(() => ({
        stash: world[names.get](sub, realmOf(params), league, stash_id, substash_id) ?? null,
      }));
    }),
});

/** `GET /stash[/<realm>]/<league>[/<stash_id>[/<substash_id>]]` */
export const StashEndpoints = HttpApiBuilder.group(DataApi, "stashes", (handlers) =>
  Effect.gen(function* () {
    const answers = yield* Responses;
    const { captureOr } = answers;
    const { get, list } = tabQuestions(yield* World, answers, { list: "stashes", get: "stash" });
    return handlers
      .handle("list", captureOr(list))
      .handle("listOfRealm", captureOr(list))
      .handle("get", captureOr(get))
      .handle("getOfRealm", captureOr(get))
      .handle("getNamedLikeRealm", captureOr(get));
  }),
);

/** `GET /league-account[/<realm>]/<league>` */
export const LeagueAccountEndpoints = HttpApiBuilder.group(DataApi, "leagueAccounts", (handlers) =>
  Effect.gen(function* () {
    const world = yield* World;
    const { answer, captureOr } = yield* Responses;
    const get = ({ params }: { readonly params: { readonly league: string } }) =>
      Effect.gen(function* () {
        const { sub } = yield* Caller;
        const realm = realmOf<GameOneRealm>(params);
        if (!world.hasLeague(sub, realm, params.league)) return yield* noLeague(params.league);
        return yield* answer(() => ({
          league_account: world.leagueAccount(sub, realm, params.league),
        }));
      });
    return handlers.handle("get", captureOr(get)).handle("getOfRealm", captureOr(get));
  }),
);

/** `GET /guild[/<realm>]/stash/<league>[/<stash_id>[/<substash_id>]]` */
export const GuildStashEndpoints = HttpApiBuilder.group(DataApi, "guildStashes", (handlers) =>
  Effect.gen(function* () {
    const answers = yield* Responses;
    const { captureOr } = answers;
    const names = { list: "guildStashes", get: "guildStash" } as const;
    const { get, list } = tabQuestions(yield* World, answers, names);
    return handlers
      .handle("list", captureOr(list))
      .handle("listOfRealm", captureOr(list))
      .handle("get", captureOr(get))
      .handle("getOfRealm", captureOr(get));
  }),
);

const noLeague = (league: string) =>
  NotFoundError.because(`No league "${league}" for this account.`);
