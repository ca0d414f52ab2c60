/** A world without a server, whose time is a variable. */
import type { Item } from "@game-data/schemas";
import { REALMS } from "../../src/world/Leagues.ts";
import type { WorldOptions } from "../../src/world/Sizes.ts";
import { WorldModel } from "../../src/world/WorldModel.ts";

export const WORLD_START = Date.parse("2026-03-01T12:00:00Z");

export const ACCOUNTS = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo"].map((name, index) => ({
  name: `${name}#000${index}`,
  uuid: `0000000${index}-0000-4000-8000-000000000000`,
  locale: null,
  livestream: null,
}));

export const makeWorld = (seed = 1, options: WorldOptions = {}, worldStart = WORLD_START) => {
  const clock = { now: worldStart };
  const world = new WorldModel({
    seed,
    worldStart,
    accounts: ACCOUNTS,
    options,
    now: () => clock.now,
  });
  return { clock, world };
};

/** Whether items lie within a grid of a side, and beside each other. */
export const lieApart = (items: ReadonlyArray<Item>, side: number): boolean => {
  const cells = items.flatMap(({ h, w, x, y }) =>
    Array.from({ length: w * h }, (_, at) => [x! + (at % w), y! + Math.floor(at / w)] as const),
  );
  const isInside = cells.every(([column, row]) => Math.max(column, row) < side);
  return isInside && new Set(cells.map(String)).size === cells.length;
};

const nested = (items: ReadonlyArray<Item> | null | undefined): Array<Item> =>
  (items ?? []).flatMap((item) => [item, ...nested(item.socketedItems)]);

/** Items of characters, stash tabs and the public stream, told apart. */
export const someItems = (world: WorldModel, changes = 1200) => {
  const characters = ACCOUNTS.flatMap(({ uuid }) =>
    REALMS.flatMap((realm) =>
      world
        .characters(uuid, realm)
        .map(({ name }) => ({ realm, one: world.character(uuid, realm, name)! })),
    ),
  );
  const itemsOf = (isGame2: boolean) =>
    characters
      .filter(({ realm }) => (realm === "game2") === isGame2)
      .flatMap(({ one }) =>
        [one.equipment, one.inventory, one.rucksack, one.jewels, one.skills].flatMap(nested),
      );
  const stash = ["Standard", "Hardcore"].flatMap((league) => {
    const place = { account: ACCOUNTS[0]!.uuid, realm: "pc", league } as const;
    return world.stashes(place).flatMap((tab) => {
      const inner = (tab.children ?? []).map(({ id, parent }) =>
        parent === tab.id ? world.stash(place, tab.id, id)?.children?.[0] : world.stash(place, id),
      );
      return [world.stash(place, tab.id), ...inner].flatMap((one) => nested(one?.items));
    });
  });
  const stream = Array.from({ length: changes }, (_, index) =>
    world.stream("pc").change(index),
  ).flatMap((change) => nested(change.items));
  return { characters, game1: itemsOf(false), game2: itemsOf(true), stash, stream };
};
