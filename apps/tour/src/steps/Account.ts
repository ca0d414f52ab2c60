/**
 * Who signed in, and what they play.
 */
import type { Character } from "@game-data/schemas";
import { Effect } from "effect";
import { bodiesWith, type Captured, isMembers, listIn } from "../Captured.ts";
import * as Report from "../Report.ts";
import { compare, must, type Step, type Tour, userOf } from "../Tour.ts";

/** The account behind the token. */
export const profile: Step = {
  title: "The profile",
  speaker: "user",
  scopes: ["account:profile"],
  run: Effect.fnUntraced(function* (tour) {
    const { api, session } = userOf(tour);
    const account = yield* api.profile.get();
    Report.facts(
      ["name", account.name],
      ["uuid", account.uuid],
      ["locale", account.locale],
      ["stream", account.livestream?.name],
    );
    const captured = tour.captured && bodiesWith(tour.captured, "uuid")[0];
    if (captured !== undefined) {
      yield* must(captured["uuid"] === account.uuid, "another uuid than in the file");
      return { proof: "the uuid of the captured profile" };
    }
    const { sub } = yield* session.tokens;
    yield* must(sub === undefined || sub === account.uuid, "the token is of another account");
    return { proof: sub === undefined ? "the service knows the token" : "the uuid is the token's" };
  }),
};

const SHOWN = 8;

/** All characters, and what is captured of single ones. */
export const characters: Step = {
  title: "The characters",
  speaker: "user",
  scopes: ["account:characters"],
  run: Effect.fnUntraced(function* (tour) {
    const all = yield* userOf(tour).api.characters.list();
    const best = all.toSorted((a, b) => b.level - a.level);
    Report.table(
      ["name", "class", "level", "league", ""],
      best
        .slice(0, SHOWN)
        .map((one) => [
          one.name,
          one.class,
          one.level,
          one.league,
          one.current === true ? "last played" : "",
        ]),
      best.length - SHOWN,
    );
    if (tour.captured !== undefined) yield* compareCharacters(tour, tour.captured, all);
    const leagues = new Set(all.map(({ league }) => league).filter((league) => league != null));
    return { proof: `${all.length} characters; leagues: ${[...leagues].join(", ")}` };
  }),
};

const compareCharacters = Effect.fnUntraced(function* (
  tour: Tour,
  captured: Captured,
  all: ReadonlyArray<Character>,
) {
  const listed = bodiesWith(captured, "characters")[0];
  const realms = ["pc", "console_a", "console_b", "game2"] as const;
  const single = realms.flatMap((realm) =>
    bodiesWith(captured, "character", realm).flatMap(({ character }) =>
      isMembers(character) ? [{ realm, character }] : [],
    ),
  );
  let items = 0;
  for (const { character, realm } of single) {
    const name = String(character["name"]);
    const found = yield* userOf(tour).api.characters.get({ realm, name });
    items += found?.equipment?.length ?? 0;
  }
  if (listed === undefined) Report.say("No list of characters is captured: this one is generated.");
  yield* compare(
    ...(listed === undefined
      ? []
      : [["characters listed", all.length, listIn(listed, "characters").length] as const]),
    [
      "items of single characters",
      items,
      single.reduce((sum, { character }) => sum + listIn(character, "equipment").length, 0),
    ],
  );
});

/** The league to look into: that of the character played last. */
export const leagueOf = (all: ReadonlyArray<Character>): string | undefined =>
  (
    all.find(({ current, league }) => current === true && league != null) ??
    all.find(({ league }) => league != null)
  )?.league ?? undefined;
