/** Step: encodes the passive tree of a character as a link, and decodes the link. */
import { encode } from "@game-data/tree-link";
import { compare, isSame } from "@game-data/tree-link/compare";
import { classId, fromPassives } from "@game-data/tree-link/passives";
import { buildUrl, decodeUrl } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { check, print, type Step } from "../Step.ts";

export const treeLink: Step = {
  title: "A passive tree as a link, and back",
  run: Effect.fn("tour.treeLink")(function* ({ userApi }) {
    const [best] = (yield* userApi.characters.list()).toSorted((a, b) => b.level - a.level);
    const character = yield* userApi.characters.get({ name: best!.name });
    const passives = character!.passives!;

    const link = fromPassives(passives, { class: classId(character!.class) ?? 0 });
    const url = buildUrl(encode(link), { base: "https://www.example.com" });
    yield* print([`${url.slice(0, 76)}…`]);
    yield* check(isSame(compare(decodeUrl(url), passives)), "the link holds another tree");
    return `${link.hashes.length} nodes of ${best!.name}, equal after the round trip`;
  }),
};
