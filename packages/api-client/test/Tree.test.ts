import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import { decode } from "@game-data/tree-link";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { characterTreeLink, treeLinkOf } from "../src/Tree.ts";
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
