import { expect, it } from "vitest";
import { flagIn } from "../src/Settings.ts";

it.each([
  [["--base-url", "https://api.example.com"], "--base-url"],
  [["--exit", "--words=a=b.json"], "--words"],
  [["--config", "x.json"], "--config"],
  [["--replay", "dir", "--exit"], undefined],
  [["base-url", "-b"], undefined],
  [[], undefined],
])("the first flag of a connection in %j: %s", (args, flag) => {
  expect(flagIn(args)).toBe(flag);
});
