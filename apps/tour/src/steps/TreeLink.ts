/**
 * A character's passives as a link, and back.
 */
import { masteryEffects, type Passives } from "@game-data/schemas";
import { decode, encode, type TreeLinkV6 } from "@game-data/tree-link";
import { CLASSES } from "@game-data/tree-link/names";
import { buildUrl, extractPayload } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { isMembers } from "../Captured.ts";
import * as Report from "../Report.ts";
import { must, type Step, type Tour, TourFailure, userOf } from "../Tour.ts";

/** A tree and whose it is. */
interface Tree {
  readonly of: string;
  /** The class's name, where a link has a number for it. */
  readonly class: string | undefined;
  readonly passives: LinkedPassives;
}

/** What of the passives a link holds. Captured ones may lack the rest: whether they are whole is another step's question. */
type LinkedPassives = Pick<Passives, "hashes" | "hashes_ex" | "mastery_effects">;

const isLinked = (record: unknown): record is LinkedPassives =>
  isMembers(record) && Array.isArray(record["hashes"]);

/** Passives → link → passives. */
export const treeLink: Step = {
  title: "A passive tree as a link, and back",
  speaker: "user",
  scopes: ["account:characters"],
  run: Effect.fnUntraced(function* (tour) {
    const trees = yield* capturedTrees(tour);
    if (trees.length === 0) {
      const tree = yield* ownTree(tour);
      if (tree === undefined) return { leftOut: "no character has passives of game 1" };
      trees.push(tree);
    }
    const links = trees.map((tree) => ({ tree, link: linkOf(tree) }));
    const urls = links.map(({ link }) =>
      buildUrl(encode(link), { base: "https://www.example.com" }),
    );
    for (const [index, { link }] of links.entries()) {
      const back = decode(extractPayload(urls[index]!).payload);
      yield* must(isSame(link, back), "the link holds another tree than was put in");
    }
    Report.table(
      ["tree of", "class", "nodes", "cluster nodes", "masteries", "characters"],
      links.map(({ link, tree }, index) => [
        tree.of,
        tree.class ?? "not told",
        link.hashes.length,
        link.extendedHashes.length,
        link.masteries.length,
        urls[index]!.length,
      ]),
    );
    const longest = urls.toSorted((a, b) => b.length - a.length)[0]!;
    Report.say(`${longest.slice(0, 84)}…`);
    const nodes = links.reduce((sum, { link }) => sum + link.hashes.length, 0);
    return {
      proof: `${links.length} ${links.length === 1 ? "link" : "links"}, ${Report.number(nodes)} nodes: what comes out is what went in`,
    };
  }),
};

const ownTree = Effect.fnUntraced(function* (tour: Tour) {
  const { api } = userOf(tour);
  const all = yield* api.characters.list();
  const candidates = all.toSorted((a, b) => b.level - a.level).slice(0, 3);
  for (const { name } of candidates) {
    const character = yield* api.characters.get({ name });
    const passives = character?.passives;
    if (passives != null && passives.hashes.length > 0)
      return { of: name, class: character?.class, passives } satisfies Tree;
  }
  return undefined;
});

/** Captured trees stand on their own, without the character. */
const capturedTrees = Effect.fnUntraced(function* ({ captured }: Tour) {
  const trees: Array<Tree> = [];
  for (const { body, path } of captured?.bodies ?? []) {
    const records: unknown = body["kind"] === "Character.passives" ? body["records"] : [];
    for (const record of Array.isArray(records) ? records : []) {
      if (!isLinked(record))
        return yield* new TourFailure({ message: `${path} holds no passives` });
      const { character: number } = record as { readonly character?: unknown };
      const of = path.replace(/^.*\/|\.json$/gu, "");
      const name = typeof number === "number" ? CLASSES[number] : undefined;
      trees.push({ of, class: name, passives: record });
    }
  }
  return trees;
});

/** Of a class that a link has no number for (an ascendancy's name), the tree alone is told. */
const linkOf = ({ class: name, passives }: Tree): TreeLinkV6 => ({
  version: 6,
  class: Math.max(
    0,
    CLASSES.findIndex((one) => one === name?.toLowerCase()),
  ),
  ascendancy: 0,
  alternateAscendancy: 0,
  hashes: passives.hashes,
  extendedHashes: passives.hashes_ex ?? [],
  masteries: masteryEffects(passives),
});

const isSame = (a: object, b: object): boolean =>
  Object.entries(a).every(
    ([key, value]) => JSON.stringify(value) === JSON.stringify((b as Record<string, unknown>)[key]),
  );
