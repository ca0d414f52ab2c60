/** A deployment that spells the realms otherwise. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

const words = { console_a: "box", console_b: "station", game2: "second", livestream: "tube" };
const service = useService({ words });
const prompt = usePrompt();

it("speaks the deployment's words on the wire and the specification's at the prompt", async () => {
  const file = join(prompt.home, "words.json");
  writeFileSync(file, JSON.stringify(words));
  prompt.env = service.envOf("example-web");
  const of = (realm: string) => ["characters", "--realm", realm, "--words", file];
  const characters = await prompt.json(of("game2"));
  expect(characters.length).toBeGreaterThan(0);
  expect(new Set(characters.map((each: { realm: string }) => each.realm))).toEqual(
    new Set(["game2"]),
  );
  expect(await prompt.json(["whoami", "--words", file])).toMatchObject({
    profile: { livestream: { name: expect.any(String) } },
  });
  writeFileSync(file, JSON.stringify({ console_a: "same", console_b: "same" }));
  expect(await prompt.error(of("pc"))).toMatchObject({ code: "setting-invalid" });
});
