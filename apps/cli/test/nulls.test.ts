/** Commands against a service that sends null where others leave a member out (§1). */
import { beforeAll, describe, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

describe("with null in every place that may be empty", () => {
  const service = useService({ nulls: "null" });
  const prompt = usePrompt();
  beforeAll(() => {
    prompt.env = service.envOf("example-web");
  });

  it("records are read, and their tables show no null", async () => {
    const [{ name }] = await prompt.json("characters");
    const [{ id }] = await prompt.json("stash list Standard");
    const [{ id: filter }] = await prompt.json("filters list");
    const commands = [
      ["characters", name],
      ["characters"],
      ["stash", "list", "Standard"],
      ["stash", "get", "Standard", id],
      ["guild-stash", "list", "Standard"],
      ["filters", "get", filter],
      ["leagues"],
      ["leagues", "Standard"],
      ["ladder", "Standard"],
      ["pvp", "list"],
      ["exchange", "show"],
      ["whoami"],
    ];
    for (const command of commands) {
      const { code, stderr, stdout } = await prompt.run(command);
      expect.soft([code, stderr], command.join(" ")).toEqual([0, ""]);
      expect.soft(stdout, command.join(" ")).not.toMatch(/\b(?:null|undefined|NaN)\b/u);
    }
  });
});
