/**
 * Records in the shapes that a live service has sent over the years. The values are made up; the
 * deviations from the specification are real.
 */
import { check, recordKinds } from "@game-data/schemas/Check";
import { expect, it } from "vitest";
import { item, market } from "./support.ts";

/** A shape, and the places that are too far from the specification: none if it is accepted. */
type Shape = [kind: string, shape: string, record: unknown, rejected?: ReadonlyArray<string>];

it.each<Shape>([
  [
    "Item",
    "an item of 2016: false flags, no id, no base type, markers before its name",
    {
      ...{ ...item, verified: false, support: false, corrupted: false, lockedToCharacter: false },
      baseType: undefined,
      typeLine: "<<set:MS>><<set:M>><<set:S>>Panicked Life Flask",
      properties: [{ name: "Stack Size", values: [["38/40", 0]], displayMode: 0 }],
      talismanTier: 0,
    },
    ["/baseType"],
  ],
  ["Item", "an item whose influences are its own members", { ...item, elder: true, searing: true }],
  [
    "Character",
    "a character of the website, without id, realm and experience",
    { name: "Aurelio", league: "Standard", classId: 4, class: "Duelist", level: 53 },
    ["/id", "/experience"],
  ],
  [
    "LadderEntry",
    "an entry of a ladder, with `dead: false` and the total of challenges alone",
    {
      rank: 1,
      dead: false,
      online: true,
      character: { id: "a".repeat(64), name: "Vesna", level: 100, class: "Scion", score: 9 },
      account: { name: "Vesna#0001", realm: "pc", challenges: { total: 35 } },
    },
    ["set", "completed", "max"].map((member) => `/account/challenges/${member}`),
  ],
  [
    "Market",
    "a market under metadata paths, with its pair repeated",
    {
      ...market,
      market_id: "Metadata/Items/Orb|Metadata/Items/Shard",
      market_pair: ["Metadata/Items/Orb", "Metadata/Items/Shard"],
      volume_traded: { "Metadata/Items/Orb": 0, "Metadata/Items/Shard": 0 },
    },
  ],
])("check against %s names the wrong places of %s", (kind, _shape, record, rejected = []) => {
  const { issues } = check(recordKinds.get(kind)!, record);
  expect(issues.map(({ pointer }) => pointer)).toEqual(rejected);
});
