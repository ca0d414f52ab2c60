/** Step: reads the account's characters, and the items of the character of the highest level. */
import { modText } from "@game-data/schemas";
import { Effect } from "effect";
import { check, print, type Step } from "../Step.ts";

export const characters: Step = {
  title: "The characters",
  run: Effect.fn("tour.characters")(function* ({ userApi }) {
    const all = (yield* userApi.characters.list()).toSorted((a, b) => b.level - a.level);
    yield* print(
      ...all.slice(0, 5).map((each) => [each.name, each.class, each.level, each.league ?? ""]),
    );
    const [best] = all;
    // `null` if the account has no character with this name.
    const character = yield* userApi.characters.get({ name: best!.name });
    const equipment = character?.equipment ?? [];
    yield* check(equipment.length > 0, `${best!.name} wears nothing`);
    const item = equipment.find(({ explicitMods }) => (explicitMods ?? []).length > 0);
    yield* print(
      [`${item?.name} ${item?.typeLine}`],
      ...(item?.explicitMods ?? []).map((mod) => [`  ${modText(mod)}`]),
    );
    return `${all.length} characters; ${best!.name} wears ${equipment.length} items`;
  }),
};
