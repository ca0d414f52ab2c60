import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import type { Character } from "@game-data/schemas";
import { decode, type TreeLinkV6 } from "@game-data/tree-link";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { characterTreeLink, classNumberOf, showsTree, treeLinkOf } from "../src/Tree.ts";
import { clientLayer, tokenFor } from "./sandbox.ts";

it("a character's tree becomes a link that says the same", async () => {
  const sandbox = await startSandbox({ seed: 1 });
  const credentials = await tokenFor(sandbox, scopes);
  await Effect.runPromise(
    Effect.gen(function* () {
      const api = yield* GameApi;
      let links = 0;
      for (const { name } of yield* api.characters.list()) {
        const character = yield* api.characters.get({ name });
        if (!character?.passives) continue;
        const link = decode(treeLinkOf(character.passives, { class: 3, ascendancy: 2 }));
        expect(link).toMatchObject({
          version: 6,
          class: 3,
          ascendancy: 2,
          hashes: character.passives.hashes,
          extendedHashes: character.passives.hashes_ex ?? [],
        });
        const known = { [character.class]: { class: 1 } };
        expect(characterTreeLink(character, known)).toBeTypeOf("string");
        links++;
      }
      expect(links).toBeGreaterThan(0);
      const [listed] = yield* api.characters.list();
      expect(listed && characterTreeLink(listed)).toBeUndefined();
    }).pipe(Effect.provide(clientLayer(sandbox, { credentials }))),
  );
  await sandbox.close();
}, 60_000);

it("a link shows a tree when it has all of it and nothing else", () => {
  const passives = { hashes: [1, 2], hashes_ex: [3], mastery_effects: { "4": 5 } } as never;
  const link = { ...decode(treeLinkOf(passives, { class: 3 })) } as TreeLinkV6;
  expect(showsTree(link, passives)).toBe(true);
  expect(showsTree({ ...link, hashes: [1] }, passives)).toBe(false);
  expect(showsTree({ ...link, hashes: [2, 1] }, passives)).toBe(false);
  expect(showsTree({ ...link, extendedHashes: [] }, passives)).toBe(false);
  expect(showsTree({ ...link, masteries: [{ node: 4, effect: 6 }] }, passives)).toBe(false);
  expect(showsTree({ ...link, version: 5 }, passives)).toBe(false);
});

it("a character of game 2 has no link, and one of an unknown class has one by its number only", () => {
  const witch = {
    class: "Witch",
    realm: "pc",
    passives: { hashes: [1, 2] },
  } as unknown as Character;
  expect(characterTreeLink(witch)).toBeTypeOf("string");
  expect(characterTreeLink({ ...witch, realm: "game2" })).toBeUndefined();
  const occultist = { ...witch, class: "Occultist" };
  expect(characterTreeLink(occultist)).toBeUndefined();
  const link = characterTreeLink(occultist, { Occultist: { class: 3, ascendancy: 1 } });
  expect(decode(link!)).toMatchObject({ class: 3, ascendancy: 1 });
});

it("classes have numbers by their names, ascendancies have none", () => {
  expect(["Scion", "witch", "SHADOW"].map(classNumberOf)).toEqual([0, 3, 6]);
  expect(classNumberOf("Occultist")).toBeUndefined();
});
