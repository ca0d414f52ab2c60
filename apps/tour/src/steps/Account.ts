/**
 * What a user's token opens: the profile, the characters and their trees, the stash, the item
 * filters.
 */
import {
  countByType,
  countItems,
  currentLeague,
  flattenTabs,
  tabIds,
} from "@game-data/api-client/stash";
import * as Report from "../report/Report.ts";
import { must, refused } from "../report/runSteps.ts";
import { userOf } from "../ApiSession.ts";
import type { Character, Passives } from "@game-data/schemas";
import { encode } from "@game-data/tree-link";
import { CLASSES } from "@game-data/tree-link/class-names";
import { classId, fromPassives, hasNodes } from "@game-data/tree-link/passives";
import { parseLink } from "@game-data/tree-link/text";
import { buildUrl } from "@game-data/tree-link/url";
import { Effect } from "effect";
import type { Tour, TourStep } from "../Tour.ts";

/** Rows of a table that there is room for. */
const SHOWN = 8;

/** The account behind the token. */
const profile: TourStep = {
  title: "The profile",
  speaker: "user",
  scopes: ["account:profile"],
  run: Effect.fnUntraced(function* (tour) {
    const { api, session } = userOf(tour);
    const { livestream, locale, name, uuid } = yield* api.profile.get();
    Report.facts(["name", name], ["uuid", uuid], ["locale", locale], ["stream", livestream?.name]);
    const captured = tour.captured?.uuid;
    const { sub } = yield* session.tokens;
    const expected = captured ?? sub ?? uuid;
    yield* must(uuid === expected, `another uuid was expected: ${expected}`);
    if (captured !== undefined) return { proof: "the uuid of the captured profile" };
    return { proof: sub === undefined ? "the service knows the token" : "the uuid is the token's" };
  }),
};

/** All characters, and those that are captured one by one. */
const characters: TourStep = {
  title: "The characters",
  speaker: "user",
  scopes: ["account:characters"],
  run: Effect.fnUntraced(function* (tour) {
    const { api } = userOf(tour);
    const all = byLevel(yield* api.characters.list());
    const rows = all.map(({ class: of, current, league, level, name }) => {
      return [name, of, level, league, current === true ? "last played" : ""];
    });
    Report.table(["name", "class", "level", "league", ""], rows, SHOWN);
    const single = yield* Effect.forEach(tour.captured?.characters ?? [], ({ name, realm }) =>
      api.characters.get({ name, realm }),
    );
    const leagues = new Set(all.map(({ league }) => league).filter((league) => league != null));
    return {
      proof: `${all.length} characters; leagues: ${[...leagues].join(", ")}`,
      figures: {
        "characters listed": all.length,
        "items of single characters": single.flatMap((one) => one?.equipment ?? []).length,
      },
    };
  }),
};

const byLevel = (all: ReadonlyArray<Character>) => all.toSorted((a, b) => b.level - a.level);

/**
 * A tree and whose it is. The class may be told as a number of the link, as an ascendancy's name,
 * which has none, or not at all.
 */
interface Tree {
  readonly of: string;
  readonly class: string | undefined;
  readonly passives: Passives;
}

/** Passives → link → passives. */
const treeLink: TourStep = {
  title: "A passive tree as a link, and back",
  speaker: "user",
  scopes: ["account:characters"],
  run: Effect.fnUntraced(function* (tour) {
    const trees = yield* treesOf(tour);
    if (trees.length === 0) return { leftOut: "no character has passives of game 1" };
    const made = trees.map(({ class: name = "", passives }) =>
      fromPassives(passives, { class: classId(name) ?? 0 }),
    );
    const urls = made.map((link) => buildUrl(encode(link), { base: "https://www.example.com" }));
    const links = urls.map((url) => parseLink(url));
    Report.table(
      ["tree of", "class", "nodes", "cluster nodes", "masteries", "characters"],
      made.map(({ extendedHashes, hashes, masteries }, index) => {
        const { class: name = "not told", of } = trees[index]!;
        const lengths = [hashes, extendedHashes, masteries].map((list) => list.length);
        return [of, name, ...lengths, urls[index]?.length];
      }),
    );
    const [longest = ""] = urls.toSorted((a, b) => b.length - a.length);
    Report.say(`${longest.slice(0, 84)}…`);
    const isWhole = links.every((link, index) => hasNodes(link, trees[index]!.passives));
    yield* must(isWhole, "a link holds another tree than was put in");
    const nodes = Report.number(links.reduce((sum, { hashes }) => sum + hashes.length, 0));
    return {
      proof: `${Report.count(links.length, "link")}, ${nodes} nodes: what comes out is what went in`,
    };
  }),
};

/**
 * Captured trees, which stand on their own and may lack all but nodes; else that of the best
 * character.
 */
const treesOf = Effect.fnUntraced(function* (tour: Tour) {
  const { trees = [] } = tour.captured ?? {};
  if (trees.length > 0)
    return trees.map(({ class: number, of, passives }): Tree => {
      return { of, class: CLASSES[number ?? -1], passives: passives as unknown as Passives };
    });
  const { api } = userOf(tour);
  const [best] = byLevel(yield* api.characters.list());
  const { class: of, passives } = (best && (yield* api.characters.get({ name: best.name }))) ?? {};
  if (best === undefined || !passives?.hashes.length) return [];
  return [{ of: best.name, class: of, passives } satisfies Tree];
});

/** Every tab of a league, with its items. */
const stash: TourStep = {
  title: "The whole stash",
  speaker: "user",
  scopes: ["account:stashes", "account:characters"],
  run: Effect.fnUntraced(function* (tour) {
    const { api } = userOf(tour);
    const league = currentLeague(yield* api.characters.list());
    if (league === undefined) return { leftOut: "no character is in a league" };
    const listed = yield* api.stashes.list({ league });
    // Only some tabs are captured with their items, of a list that is captured or not.
    const { figures = {}, tabIds: single = [] } = tour.captured ?? {};
    const captured = figures["tabs listed"] || single.length > 0 ? single : undefined;
    const wanted = captured ?? tabIds(listed);
    const bar = Report.bar(wanted.length);
    let answers = 0;
    const onResponse = () => bar.show((answers += 1), `${answers} answers`);
    const { failures, tabs } = yield* captured
      ? api.stashes.some({ league, ids: captured }, { onResponse })
      : api.stashes.all({ league }, { onResponse });
    const whole = flattenTabs(tabs);
    bar.end(wanted.length, `${whole.length} tabs`);
    const rows = countByType(tabs).map(({ items, tabs: count, type }) => [type, count, items]);
    Report.table(["type of tab", "tabs", "items"], rows, SHOWN);
    const [failure] = failures;
    yield* must(!failure, `${failures.length} tabs could not be had: ${failure?.error.message}`);
    const ids = new Set(whole.map(({ id }) => id));
    const lost = wanted.filter((id) => !ids.has(id)).length;
    yield* must(lost === 0, `${lost} listed tabs are missing`);
    const items = countItems(tabs);
    const subTabs = whole.length - tabs.length;
    return {
      proof: `all ${wanted.length} ${captured ? "captured" : "listed"} tabs of ${league}, ${subTabs} of them sub-tabs, with ${Report.number(items)} items`,
      figures: {
        "tabs listed": flattenTabs(listed).length,
        "tabs with items": whole.length,
        "items in tabs": items,
      },
    };
  }),
};

const MISTAKEN = `Show
    Rarity Uniqe
    SetFontSize 45
`;

const CORRECT = MISTAKEN.replace("Uniqe", "Unique");

/** Created, validated, published. */
const filter: TourStep = {
  title: "An item filter, validated and published",
  speaker: "user",
  scopes: ["account:item_filter"],
  writes: true,
  run: Effect.fnUntraced(function* (tour) {
    const { itemFilters } = userOf(tour).api;
    const draft = {
      filter_name: "From the tour",
      realm: "pc",
      description: "Shows what is unique.",
      type: "Normal",
    } as const;
    const before = yield* itemFilters.list();
    const mistaken = itemFilters.create({ ...draft, filter: MISTAKEN }, { validate: true });
    const { detail, status } = yield* refused(mistaken, "InvalidRequest", "a mistake was taken");
    const created = yield* itemFilters.create({ ...draft, filter: CORRECT }, { validate: true });
    yield* must(created.public !== true, "the filter was public before it was published");

    yield* itemFilters.update(created.id, { public: true });
    const published = yield* itemFilters.get({ id: created.id });
    const after = yield* itemFilters.list();
    Report.facts(
      ["with a mistake", `HTTP ${status}: ${detail}`],
      ["corrected", `created, and valid for version ${created.validation?.version}`],
      ["published", `${after.length} filters now, ${before.length} before`],
    );
    yield* must(published.public === true, "the filter is not public");
    yield* must(published.filter === CORRECT, "the text is not what was sent");
    yield* must(after.length === before.length + 1, "there is not one filter more than before");
    return { proof: "read back: public, and the text as it was sent" };
  }),
};

/** The steps. */
export const account = [profile, characters, treeLink, stash, filter];
