import { it } from "vitest";
import {
  Account,
  EventLadderEntry,
  Guild,
  ItemFilter,
  LadderEntry,
  League,
  LeagueRule,
  Profile,
  PvPLadderTeamEntry,
  PvPLadderTeamMember,
  PvPMatch,
} from "../src/effect/index.ts";
import {
  about,
  absent,
  account as somebody,
  date,
  ladderCharacter,
  same,
  under,
} from "./support.ts";

const uuid = "0b9f2c1e-5d6a-4f3b-8c7d-1a2b3c4d5e6f";
const profile = about(Profile, { uuid, name: "Ember#1234" });
const account = about(Account, somebody);
const mine = { id: "f", filter_name: "Mine", realm: "pc", description: "", version: "1" };
const filter = about(ItemFilter, { ...mine, type: "Normal" });
const league = about(League, { id: "x" });
const category = about(League, { id: "x", category: { id: "Ember" } });
const pvp = { id: "Blitz", description: "", glickoRatings: true, pvp: true, style: "Blitz" };
const match = about(PvPMatch, pvp);
const entry = about(LadderEntry, { rank: 1, character: ladderCharacter });
const member = about(PvPLadderTeamMember, { account: somebody, character: ladderCharacter });

const events = ["event", "timedEvent", "scoreEvent", "delveEvent", "ancestorEvent", "leagueEvent"];
const states = ["complete", "upcoming", "inProgress"];

it("records of accounts and leagues accept the words of the specification's tables, and report others [RC-011, RC-015, RC-028]", () => {
  filter.hasWords({ "/type": "Normal Ruthless" });
  for (const one of [league, account, match]) one.hasWords({ "/realm": "pc console_a console_b" });
  match.hasWords({ "/style": "Blitz Swiss Arena" });
});

it("flags in records of accounts and leagues accept true, and Drift reports false [RC-012, RC-016, RC-017, RC-027, RC-029, RC-034]", () => {
  filter.hasFlags("/public");
  category.hasFlags("/category/current");
  league.hasFlags(...under("", events));
  match.hasFlags("/pvp", ...under("", states));
  match.needs("", "pvp");
  member.hasFlags("/public");
});

it("Drift reports a ladder entry whose character id is not 64 hexadecimal digits [RC-020, RC-033]", () => {
  for (const one of [entry, member]) one.drifts("other-form", { "/character/id": ["abc"] });
  entry.refuses({ "/character/id": [1] });
});

it("Profile accepts a locale and a livestream, and requires the name of the livestream [RC-007]", () => {
  profile.hasMembers({ locale: "en_GB", livestream: { name: "ember" } });
  profile.needs("/livestream", "name");
});

it("Drift reports a Profile whose uuid is not a UUIDv4 in canonical form [RC-008]", () => {
  const others = [uuid.toUpperCase(), uuid.replaceAll("-", ""), uuid.replace("-4f", "-1f")];
  profile.drifts("other-form", { "/uuid": [...others, `0${uuid}`, `${uuid}0`] });
});

it("Profile and Account have a stream platform as `livestream`, and Drift reports other names [RC-006]", () => {
  for (const one of [profile, account]) one.takes({ "/livestream/name": ["ember"] });
  profile.drifts("unknown-key", { "/videolink": [{ name: "ember" }] });
});

it("ItemFilter has exactly the specification's members, and accepts any word as realm [RC-010]", () => {
  const validation = { valid: true, version: "3.25", validated: date };
  filter.hasMembers({ public: true, filter: "Show", validation });
  filter.takes({ "/validation/valid": [false], "/realm": ["console_a", "game2", "later"] });
  filter.needs("/validation", "valid");
  const validated = about(ItemFilter, filter.at("/validation", validation));
  validated.drifts("other-form", { "/validation/validated": ["today"] });
});

it("League requires only its id, and checks the types of its other members [RC-014]", () => {
  const texts = ["realm", "name", "description", "goal", "url"];
  const rules = [{ id: "Hardcore", name: "Hardcore" }];
  league.hasMembers({
    ...same(texts, "pc"),
    ...{ category: { id: "Ember", current: true }, rules },
    ...same(["registerAt", "startAt", "endAt"], date),
    ...same(events, true),
  });
  const day = ["2026-03-01"];
  league.drifts("other-form", { "/registerAt": day, "/startAt": day, "/endAt": day });
  league.drifts("missing", { "/category/id": [absent] });
  about(League, { id: "x", rules: [{ id: "Hardcore" }] }).needs("/rules/0", "name");
});

it("LeagueRule requires an id and a name, and accepts any id [RC-018]", () => {
  const rule = about(LeagueRule, { id: "Hardcore", name: "Hardcore" });
  rule.hasMembers({ description: "One life" });
  rule.takes({ "/id": ["AnythingElse"], "/name": [""] });
});

it("LadderEntry has exactly the specification's members, each with the specification's type [RC-019]", () => {
  const flags = { dead: false, retired: true, ineligible: false, public: true };
  entry.hasMembers({ ...flags, account: somebody });
  entry.needs("/character", "id", "name", "level", "class");
  entry.takes({
    "/character/time": [1, null],
    "/character/score": [2, null],
    "/character/progress": [{ a: 1 }, null],
    "/character/experience": [3],
    "/character/depth": [{ default: 600, solo: null }, {}],
  });
  entry.refuses({ "/character/depth/solo": [-1] });
});

it("LadderEntry refuses a negative or fractional time or score [RC-021]", () => {
  entry.takes({ "/character/time": [0], "/character/score": [0] });
  entry.refuses({ "/character/time": [-1, 1.5], "/character/score": [-1, 1.5] });
});

it("LadderEntry accepts any object as progress, and refuses a list with entries [RC-022]", () => {
  entry.takes({ "/character/progress": [{ boss: [1, { deep: null }], done: "yes" }] });
  entry.drifts("other-type", { "/character/progress": [[]] });
  entry.refuses({ "/character/progress": [[1]] });
});

it("EventLadderEntry requires a private league with a name and a url [RC-023]", () => {
  const private_league = { name: "Ours", url: "https://example/private" };
  const event = about(EventLadderEntry, { rank: 1, private_league });
  event.hasMembers({ ineligible: false, time: 3600 });
  event.needs("/private_league", "url", "name");
});

it("Account has exactly the specification's members, each with the specification's type [RC-024]", () => {
  const stream = { name: "ember", image: "https://images.example/1", status: "live" };
  const challenges = { set: "Ember", completed: 3, max: 40 };
  const livestream = { name: "ember", stream };
  const guild = { id: 1, name: "Guild", tag: "G" };
  account.hasMembers({ realm: "pc", guild, challenges, livestream });
  account.takes({ "/livestream": [{ name: "ember" }] });
  const full = about(Account, { ...somebody, challenges, livestream });
  full.needs("/challenges", "set", "completed", "max");
  full.refuses({ "/challenges/completed": [-1], "/challenges/max": [-1] });
  full.needs("/livestream/stream", "name", "image", "status");
});

it("Guild requires id, name and tag, and Drift reports an id that is a string [RC-025]", () => {
  const guild = about(Guild, { id: 1, name: "Guild", tag: "G" });
  guild.hasMembers({});
  guild.drifts("other-type", { "/id": ["1"] });
});

it("PvPMatch has exactly the specification's members, and Drift reports invalid dates [RC-026]", () => {
  const dates = { startAt: date, endAt: date, registerAt: date };
  const optional = { realm: "pc", url: "https://forum.example/2" };
  match.hasMembers({ ...optional, ...dates, ...same(states, true) });
  const soon = ["soon"];
  match.drifts("other-form", { "/startAt": soon, "/endAt": soon, "/registerAt": soon });
  match.takes({ "/glickoRatings": [false] });
});

it("PvPLadderTeamEntry has four numbers and a date, and requires the account of each member [RC-030]", () => {
  const numbers = { rating: 1500, points: 3, games_played: 4, cumulative_opponent_points: 5 };
  const team = { account: somebody, character: ladderCharacter };
  const teams = about(PvPLadderTeamEntry, { rank: 1, members: [team] });
  teams.hasMembers({ ...numbers, last_game_time: date });
  teams.drifts("other-form", { "/last_game_time": ["x"] });
  teams.needs("/members/0", "account");
});

it("PvPLadderTeamMember requires an account and a character with id, name, level and class [RC-032]", () => {
  member.hasMembers({ public: true });
  member.takes({ "/character/league": ["Standard"], "/character/score": [3] });
  member.needs("/character", "id", "name", "level", "class");
});
