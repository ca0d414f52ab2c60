/**
 * The passive tree of a character as a link, and back.
 */
import type { Passives } from "@game-data/schemas";
import { encode } from "@game-data/tree-link";
import { CLASSES } from "@game-data/tree-link/class-names";
import { compare, isSame } from "@game-data/tree-link/compare";
import { classId, fromPassives } from "@game-data/tree-link/passives";
import { buildUrl, decodeUrl } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { count, number, Report } from "../report.ts";
import { assert, type Step, type Tour } from "../Tour.ts";

export const treeLink: Step = {
  title: "A passive tree as a link, and back",
  session: "user",
  scopes: ["account:characters"],
  run: Effect.fnUntraced(function* (tour) {
    const report = yield* Report;
    const trees = yield* treesOf(tour);
    if (trees.length === 0) return { skipped: "no character has passives of game 1" };

    const links = trees.map(({ className = "", passives }) =>
      fromPassives(passives, { class: classId(className) ?? 0 }),
    );
    const urls = links.map((link) => buildUrl(encode(link), { base: "https://www.example.com" }));
    const parsed = urls.map((url) => decodeUrl(url));
    report.table(
      ["tree of", "class", "nodes", "cluster nodes", "masteries", "characters"],
      links.map(({ extendedHashes, hashes, masteries }, index) => {
        const { className = "unknown", of } = trees[index]!;
        const lengths = [hashes, extendedHashes, masteries].map((list) => list.length);
        return [of, className, ...lengths, urls[index]?.length];
      }),
    );
    const [longest = ""] = urls.toSorted((a, b) => b.length - a.length);
    report.say(`${longest.slice(0, 72)}…`);

    const isEqual = parsed.every((link, index) => isSame(compare(link, trees[index]!.passives)));
    yield* assert(isEqual, "a link does not hold the tree that it was made of");
    const nodes = number(parsed.reduce((sum, { hashes }) => sum + hashes.length, 0));
    return {
      result: `${count(parsed.length, "link")} with ${nodes} nodes, equal after the round trip`,
    };
  }),
};

interface Tree {
  readonly of: string;
  readonly className: string | undefined;
  readonly passives: NonNullable<Passives>;
}

/** Returns the captured trees, or that of the character with the highest level. */
const treesOf = Effect.fnUntraced(function* ({ captured, user }: Tour) {
  const { trees = [] } = captured ?? {};
  if (trees.length > 0)
    return trees.map(({ class: id, of, passives }): Tree => {
      return {
        of,
        className: CLASSES[id ?? -1],
        passives: passives as unknown as Tree["passives"],
      };
    });
  if (user === undefined) return [];
  const [best] = (yield* user.api.characters.list()).toSorted((a, b) => b.level - a.level);
  if (best === undefined) return [];
  const character = yield* user.api.characters.get({ name: best.name });
  const passives = character?.passives;
  if (passives == null || passives.hashes.length === 0) return [];
  return [{ of: best.name, className: character?.class, passives } satisfies Tree];
});
