/**
 * PvP matches and the ladders of their teams.
 *
 * A cup is held every week of the virtual clock, so that some cups are always upcoming, and
 * sometimes one is running. The week's cup has a name of its own (`Blitz Cup 3, week 12`); it can
 * still be read for a few weeks after its end. Ratings fall from rank to rank by construction.
 */
import type { PvPLadderTeamEntry, PvPMatch } from "@game-data/schemas";
import { CLASSES } from "./Characters.ts";
import { type Page, pageOf, type Window } from "./Ladders.ts";
import { DAY, HOUR, isoSeconds, type Realm, type WorldMoment } from "./Leagues.ts";
import { characterName } from "./Lexicon.ts";
import { PEOPLE, personAccount } from "./people.ts";
import { hexId, prng } from "./Prng.ts";

const WEEK = 7 * DAY;

/** A match, the season or league that lists it, and the number and size of its teams. */
export interface WorldMatch {
  readonly record: PvPMatch;
  readonly season?: string;
  readonly league?: string;
  readonly teams: number;
  readonly teamSize: number;
}

const STYLES = ["Blitz", "Swiss", "Arena"] as const;
const SEASONS = ["Season 1", "Season 2"] as const;
const WEEKLY_CUPS = 12;
/** Number of the week in which the world starts. */
const FIRST_WEEK = 12;
/** Weeks for which a cup can be looked up after its end. */
const KEPT_WEEKS = 3;

interface Plan extends Omit<WorldMatch, "record" | "teamSize"> {
  readonly id: string;
  /** Index of the match. Style and team size follow from it. */
  readonly index: number;
  readonly startAt: number;
}

const match = (realm: Realm, now: number, { id, index, startAt, ...more }: Plan): WorldMatch => {
  const endAt = startAt + 2 * HOUR;
  const stage = now < startAt ? "upcoming" : now < endAt ? "inProgress" : "complete";
  return {
    ...more,
    teamSize: 1 + (index % 3),
    record: {
      id,
      realm,
      startAt: isoSeconds(startAt),
      endAt: isoSeconds(endAt),
      url: `https://forum.example.com/threads/${7000 + index}`,
      description: index % 3 === 0 ? "One against one." : `Teams of ${1 + (index % 3)}.`,
      glickoRatings: index % 2 === 0,
      pvp: true,
      style: STYLES[index % 3]!,
      registerAt: isoSeconds(startAt - HOUR),
      [stage]: true,
    },
  };
};

const range = (count: number): ReadonlyArray<number> => [...Array(count).keys()];

/** Returns the cups of the current week and of the weeks before. */
const weeklyCups = ({ now, worldStart }: WorldMoment, size: number): ReadonlyArray<Plan> =>
  range(WEEKLY_CUPS).flatMap((index) => {
    // A running cup stays until its end. Then the next cup is announced.
    const first = worldStart + (index - 1) * 14 * HOUR - HOUR;
    const week = Math.max(0, Math.floor((now - first - 2 * HOUR) / WEEK) + 1);
    return range(KEPT_WEEKS + 1).map((past) => ({
      id: `${STYLES[index % 3]!} Cup ${index + 1}, week ${FIRST_WEEK + week - past}`,
      index,
      startAt: first + (week - past) * WEEK,
      teams: index === 0 ? size : 200,
    }));
  });

const idOf = (name: string, index: number): string => `${name} ${STYLES[index % 3]!} ${index + 1}`;

/** Returns all matches of a realm at an instant. The largest ladders have `size` teams. */
export const matchesAt = (
  moment: WorldMoment,
  realm: Realm,
  league: string,
  size: number,
): ReadonlyArray<WorldMatch> => {
  const { now, worldStart } = moment;
  const seasonal = SEASONS.flatMap((season, which) =>
    range(6).map((index) => ({
      id: idOf(season, index),
      index,
      startAt: worldStart - (60 - which * 20 - index) * WEEK,
      season,
      teams: index === 0 ? size : 300,
    })),
  );
  const ofLeague = range(4).map((index) => ({
    id: idOf(league, index),
    index,
    startAt: worldStart - (4 - index) * WEEK,
    league,
    teams: 120,
  }));
  const plans: ReadonlyArray<Plan> = [...weeklyCups(moment, size), ...seasonal, ...ofLeague];
  return plans.map((plan) => match(realm, now, plan));
};

export const matchLadder = (
  { now, seed }: WorldMoment,
  { record, teams, teamSize }: WorldMatch,
  realm: Realm,
  window: Window,
): Page<PvPLadderTeamEntry> => {
  // A match that has not begun has an empty ladder.
  const size = record.upcoming === true ? 0 : teams;
  const lastGame = Math.min(now, Date.parse(record.endAt ?? ""));
  return pageOf(size, window, (rank) => {
    const key = `${seed}/pvp/${realm}/${record.id}/${rank}`;
    const draw = prng(key);
    return {
      rank: rank + 1,
      ...(record.glickoRatings
        ? { rating: Math.max(1, 2400 - Math.floor((rank * 2000) / size)) }
        : { points: Math.max(0, 60 - Math.floor((rank * 60) / size)) }),
      games_played: draw.int(3, 14),
      ...(record.style === "Swiss" && { cumulative_opponent_points: draw.int(10, 90) }),
      last_game_time: isoSeconds(lastGame - draw.int(0, 5400) * 1000),
      members: Array.from({ length: teamSize }, (_, member) => ({
        account: personAccount(seed, draw.int(0, PEOPLE - 1), realm),
        character: {
          id: hexId(`${key}/member/${member}`, 64),
          name: characterName(draw),
          level: draw.int(60, 100),
          class: draw.pick(CLASSES),
          league: "Standard",
          ...(record.style === "Blitz" && { score: draw.int(0, 40) }),
        },
        ...(draw.chance(0.6) && { public: true }),
      })),
    };
  });
};
