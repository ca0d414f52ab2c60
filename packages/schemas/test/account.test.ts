import { describe, it } from "vitest";
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
  account,
  expectAlwaysTrue,
  expectConforming,
  date,
  expectDrift,
  expectMembers,
  expectWords,
  ladderCharacter,
  expectRefused,
} from "./support.ts";

const uuid = "0b9f2c1e-5d6a-4f3b-8c7d-1a2b3c4d5e6f";
const profile = { uuid, name: "Ember#1234" };
const filter = {
  id: "f",
  filter_name: "Mine",
  realm: "pc",
  description: "",
  version: "1",
  type: "Normal",
};
const pvp = { id: "Blitz", description: "", glickoRatings: true, pvp: true, style: "Blitz" };
const member = { account, character: ladderCharacter };

describe("Profile", () => {
  it("has its members [RC-007]", () => {
    expectMembers(Profile, {
      required: profile,
      optional: { locale: "en_GB", livestream: { name: "ember" } },
    });
    expectRefused(Profile, { ...profile, livestream: {} }, "/livestream/name");
  });

  it("has a UUIDv4 in canonical form [RC-008]", () => {
    expectConforming(Profile, profile);
    for (const other of [
      uuid.toUpperCase(),
      uuid.replaceAll("-", ""),
      uuid.replace("-4f", "-1f"),
    ]) {
      expectDrift(Profile, { ...profile, uuid: other }, "other-form /uuid");
    }
  });

  it("has the link to a stream platform under `livestream`, other names are unknown [RC-006]", () => {
    expectConforming(Profile, { ...profile, livestream: { name: "ember" } });
    expectConforming(Account, { ...account, livestream: { name: "ember" } });
    expectDrift(Profile, { ...profile, videolink: { name: "ember" } }, "unknown-key /videolink");
  });
});

describe("ItemFilter", () => {
  it("has its members [RC-010]", () => {
    const validation = { valid: true, version: "3.25", validated: date };
    expectMembers(ItemFilter, {
      required: filter,
      optional: { public: true, filter: "Show", validation },
    });
    expectConforming(ItemFilter, { ...filter, validation: { valid: false } });
    expectRefused(ItemFilter, { ...filter, validation: {} }, "/validation/valid");
    expectDrift(
      ItemFilter,
      { ...filter, validation: { valid: true, validated: "today" } },
      "other-form /validation/validated",
    );
  });

  it("has a realm of any word, game2 included, which a filter can be created for [RC-010]", () => {
    for (const realm of ["pc", "console_a", "game2", "later"]) {
      expectConforming(ItemFilter, { ...filter, realm });
    }
  });

  it("is of type Normal or Ruthless [RC-011]", () => {
    expectWords(ItemFilter, ["Normal", "Ruthless"], (type) => ({ ...filter, type }), "/type");
  });

  it("is public: true or without the member; the tolerant reader reports false [RC-012]", () => {
    expectAlwaysTrue(ItemFilter, ["public"], (flag, value) => ({ ...filter, [flag]: value }));
    expectConforming(ItemFilter, filter);
  });
});

describe("League", () => {
  it("requires its id alone and types the rest [RC-014]", () => {
    expectMembers(League, {
      required: { id: "Standard" },
      optional: {
        realm: "pc",
        name: "Standard",
        description: "",
        category: { id: "Ember", current: true },
        rules: [{ id: "Hardcore", name: "Hardcore" }],
        registerAt: date,
        event: true,
        goal: "",
        url: "https://forum.example/1",
        startAt: date,
        endAt: date,
        timedEvent: true,
        scoreEvent: true,
        delveEvent: true,
        ancestorEvent: true,
        leagueEvent: true,
      },
    });
    for (const name of ["registerAt", "startAt", "endAt"]) {
      expectDrift(League, { id: "x", [name]: "2026-03-01" }, `other-form /${name}`);
    }
    expectDrift(League, { id: "x", category: {} }, "missing /category/id");
    expectRefused(League, { id: "x", rules: [{ id: "Hardcore" }] }, "/rules/0/name");
  });

  it("marks a current category by true alone [RC-016]", () => {
    expectAlwaysTrue(
      League,
      ["current"],
      (flag, value) => ({ id: "x", category: { id: "Ember", [flag]: value } }),
      "/category",
    );
  });

  it("has event flags that are true whenever present [RC-017]", () => {
    const flags = [
      "event",
      "timedEvent",
      "scoreEvent",
      "delveEvent",
      "ancestorEvent",
      "leagueEvent",
    ];
    expectAlwaysTrue(League, flags, (flag, value) => ({ id: "x", [flag]: value }));
  });

  it("names pc, console_a and console_b as realms, as Account and PvPMatch do [RC-015]", () => {
    const words = ["pc", "console_a", "console_b"];
    expectWords(League, words, (realm) => ({ id: "x", realm }), "/realm");
    expectWords(Account, words, (realm) => ({ ...account, realm }), "/realm");
    expectWords(PvPMatch, words, (realm) => ({ ...pvp, realm }), "/realm");
  });

  it("has rules with any id [RC-018]", () => {
    expectMembers(LeagueRule, {
      required: { id: "Hardcore", name: "Hardcore" },
      optional: { description: "One life" },
    });
    expectConforming(LeagueRule, { id: "AnythingElse", name: "" });
  });
});

describe("LadderEntry", () => {
  const entry = { rank: 1, character: ladderCharacter };
  const withCharacter = (members: object) => ({
    rank: 1,
    character: { ...ladderCharacter, ...members },
  });

  it("has its members [RC-019]", () => {
    const flags = { dead: false, retired: true, ineligible: false, public: true };
    expectMembers(LadderEntry, { required: entry, optional: { ...flags, account } });
    for (const name of ["id", "name", "level", "class"]) {
      const { [name]: _, ...without } = ladderCharacter as Record<string, unknown>;
      expectRefused(LadderEntry, { rank: 1, character: without }, `/character/${name}`);
    }
    const depth = { default: 600, solo: null };
    expectConforming(
      LadderEntry,
      withCharacter({ time: 1, score: 2, progress: { a: 1 }, experience: 3, depth }),
    );
    expectConforming(
      LadderEntry,
      withCharacter({ time: null, score: null, progress: null, depth: {} }),
    );
    expectRefused(LadderEntry, withCharacter({ depth: { solo: -1 } }), "/character/depth/solo");
  });

  it("has a character id of 64 hexadecimal digits [RC-020]", () => {
    expectDrift(LadderEntry, withCharacter({ id: "abc" }), "other-form /character/id");
    expectRefused(LadderEntry, withCharacter({ id: 1 }), "/character/id");
  });

  it("counts time in seconds and score in completions, unsigned [RC-021]", () => {
    for (const name of ["time", "score"]) {
      expectConforming(LadderEntry, withCharacter({ [name]: 0 }));
      expectRefused(LadderEntry, withCharacter({ [name]: -1 }), `/character/${name}`);
      expectRefused(LadderEntry, withCharacter({ [name]: 1.5 }), `/character/${name}`);
    }
  });

  it("has progress of any contents [RC-022]", () => {
    expectConforming(
      LadderEntry,
      withCharacter({ progress: { boss: [1, { deep: null }], done: "yes" } }),
    );
    expectDrift(LadderEntry, withCharacter({ progress: [] }), "other-type /character/progress");
    expectRefused(LadderEntry, withCharacter({ progress: [1] }), "/character/progress");
  });
});

describe("EventLadderEntry", () => {
  it("has its members [RC-023]", () => {
    const private_league = { name: "Ours", url: "https://example/private" };
    expectMembers(EventLadderEntry, {
      required: { rank: 1, private_league },
      optional: { ineligible: false, time: 3600 },
    });
    expectRefused(
      EventLadderEntry,
      { rank: 1, private_league: { name: "Ours" } },
      "/private_league/url",
    );
    expectRefused(
      EventLadderEntry,
      { rank: 1, private_league: { url: "" } },
      "/private_league/name",
    );
  });
});

describe("Account", () => {
  it("has its members [RC-024]", () => {
    const stream = { name: "ember", image: "https://images.example/1", status: "live" };
    expectMembers(Account, {
      required: account,
      optional: {
        realm: "pc",
        guild: { id: 1, name: "Guild", tag: "G" },
        challenges: { set: "Ember", completed: 3, max: 40 },
        livestream: { name: "ember", stream },
      },
    });
    expectConforming(Account, { ...account, livestream: { name: "ember" } });
    for (const name of ["set", "completed", "max"]) {
      const { [name]: _, ...rest } = { set: "", completed: 1, max: 2 } as Record<string, unknown>;
      expectRefused(Account, { ...account, challenges: rest }, `/challenges/${name}`);
    }
    for (const name of ["name", "image", "status"]) {
      const { [name]: _, ...rest } = stream as Record<string, unknown>;
      expectRefused(
        Account,
        { ...account, livestream: { name: "", stream: rest } },
        `/livestream/stream/${name}`,
      );
    }
  });

  it("has a guild with id, name and tag [RC-025]", () => {
    expectMembers(Guild, { required: { id: 1, name: "Guild", tag: "G" }, optional: {} });
    expectDrift(Guild, { id: "1", name: "Guild", tag: "G" }, "other-type /id");
    expectRefused(Guild, { id: -1, name: "Guild", tag: "G" }, "/id");
  });
});

describe("PvP", () => {
  it("has matches with their members [RC-026]", () => {
    expectMembers(PvPMatch, {
      required: pvp,
      optional: {
        realm: "pc",
        startAt: date,
        endAt: date,
        url: "https://forum.example/2",
        registerAt: date,
        complete: true,
        upcoming: true,
        inProgress: true,
      },
    });
    for (const name of ["startAt", "endAt", "registerAt"]) {
      expectDrift(PvPMatch, { ...pvp, [name]: "soon" }, `other-form /${name}`);
    }
    expectConforming(PvPMatch, { ...pvp, glickoRatings: false });
  });

  it("has pvp, always true [RC-027]", () => {
    expectAlwaysTrue(PvPMatch, ["pvp"], (flag, value) => ({ ...pvp, [flag]: value }));
    const { pvp: _, ...without } = pvp;
    expectRefused(PvPMatch, without, "/pvp");
  });

  it("has a style of three [RC-028]", () => {
    expectWords(PvPMatch, ["Blitz", "Swiss", "Arena"], (style) => ({ ...pvp, style }), "/style");
  });

  it("has state flags that are true whenever present [RC-029]", () => {
    const flags = ["complete", "upcoming", "inProgress"];
    expectAlwaysTrue(PvPMatch, flags, (flag, value) => ({ ...pvp, [flag]: value }));
  });

  it("has ladder entries of teams [RC-030]", () => {
    expectMembers(PvPLadderTeamEntry, {
      required: { rank: 1, members: [member] },
      optional: {
        rating: 1500,
        points: 3,
        games_played: 4,
        cumulative_opponent_points: 5,
        last_game_time: date,
      },
    });
    for (const name of ["rating", "points", "games_played", "cumulative_opponent_points"]) {
      expectRefused(PvPLadderTeamEntry, { rank: 1, members: [], [name]: -1 }, `/${name}`);
    }
    expectDrift(
      PvPLadderTeamEntry,
      { rank: 1, members: [], last_game_time: "x" },
      "other-form /last_game_time",
    );
    expectRefused(PvPLadderTeamEntry, { rank: 1, members: [{}] }, "/members/0/account");
  });

  it("has members with account and character [RC-032]", () => {
    expectMembers(PvPLadderTeamMember, { required: member, optional: { public: true } });
    const character = { ...ladderCharacter, league: "Standard", score: 3 };
    expectConforming(PvPLadderTeamMember, { account, character });
    for (const name of ["id", "name", "level", "class"]) {
      const { [name]: _, ...without } = ladderCharacter as Record<string, unknown>;
      expectRefused(PvPLadderTeamMember, { account, character: without }, `/character/${name}`);
    }
  });

  it("has characters with an id of 64 hexadecimal digits [RC-033]", () => {
    const character = { ...ladderCharacter, id: "0123" };
    expectDrift(PvPLadderTeamMember, { account, character }, "other-form /character/id");
  });

  it("shows a member as public by true alone [RC-034]", () => {
    expectAlwaysTrue(PvPLadderTeamMember, ["public"], (flag, value) => ({
      ...member,
      [flag]: value,
    }));
  });
});
