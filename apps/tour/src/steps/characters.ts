/**
 * The account's characters.
 */
import { Effect } from "effect";
import { Report } from "../report.ts";
import type { Step } from "../Tour.ts";

export const characters: Step = {
  title: "The characters",
  session: "user",
  scopes: ["account:characters"],
  run: Effect.fnUntraced(function* ({ captured, user }) {
    const report = yield* Report;
    const all = yield* user.api.characters.list();
    const byLevel = all.toSorted((a, b) => b.level - a.level);
    report.table(
      ["name", "class", "level", "league", ""],
      byLevel.map((character) => [
        character.name,
        character.class,
        character.level,
        character.league,
        character.current === true ? "last played" : "",
      ]),
      8,
    );

    const single = yield* Effect.forEach(captured?.characters ?? [], ({ name, realm }) =>
      user.api.characters.get({ name, realm }),
    );
    const leagues = new Set(byLevel.map(({ league }) => league).filter((league) => league != null));
    return {
      result: `${all.length} characters; leagues: ${[...leagues].join(", ")}`,
      counts: {
        "characters listed": all.length,
        "items of single characters": single.flatMap((one) => one?.equipment ?? []).length,
      },
    };
  }),
};
