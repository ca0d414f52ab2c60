/** What `Drift` reports of a value: every member of each deviation. */
import { expect, it } from "vitest";
import { recordKinds } from "../src/Check.ts";
import * as Drift from "../src/Drift.ts";
import { PublicStashChange } from "../src/effect/index.ts";
import { account, item, ladderCharacter, listed } from "./support.ts";
import { passives, property, unlisted } from "./support.ts";

type Row = [record: string, value: object, lines: string, options?: Drift.Options];

const format = ({ accepted, actual, expected, kind, member, pointer }: Drift.Deviation): string =>
  `${accepted ? "" : "refused "}${kind} ${pointer} ${member}: ${expected}, ${actual}`;

const words = { console_a: "box", livestream: "tv" };
const explicit = true;
const gone = { ...unlisted, accountName: "a", stash: "b", league: "c" };
const livestream = { name: "s", stream: null };
const ofItem = {
  ...{ later: {}, rarity: "Odd", support: false, id: "abc", influences: { hunter: true } },
  ...{ scourged: { tier: 11 }, socketedItems: [{ ...item, later: 1 }] },
  properties: [{ ...property, values: [["a", 1, {}]], progress: 0.125 }],
};
const wrong = {
  ...{ rewards: [{ label: 1, rewards: { w: "x" } }], influences: { elder: "x" } },
  properties: [{ name: 1, values: [["a"], [], ["b", "c"], {}] }],
  explicitMods: ["a", { description: "b", flags: [] }, {}, 1],
  socketedItems: [{ ...item, w: 1.5, later: 1 }, 1],
};
// Keys of dictionaries that are names of members too.
const groups = { x: { x: 1, y: "", orbits: [], nodes: [] } };
const ofPassives = {
  ...{ mastery_effects: ["1", 2], specialisations: { set3: [1] }, skill_overrides: { 1: {} } },
  jewel_data: {
    hashes: { type: 1 },
    2: { type: "", subgraph: { groups, nodes: { n: { in: 1 } } } },
  },
};
const metadata = { map: [], colour: "ff", "a/b~c": 1 };

it.each<Row>([
  [
    "Item",
    { ...item, ...ofItem },
    `unknown-key /later Item.later: absent, object
     always-true-violated /support Item.support: true, false
     other-form /id Item.id: hex-64, string of length 3
     unknown-key /influences/hunter Item.influences.hunter: absent, boolean
     unknown-word /rarity Item.rarity: one of 4 words, string
     unknown-key /properties/0/values/0/2 ItemProperty.values: no element, object
     other-form /properties/0/progress ItemProperty.progress: 2 decimal places, more decimal places
     other-form /scourged/tier Item.scourged.tier: 1 to 10, out of range
     unknown-key /socketedItems/0/later Item.later: absent, integer`,
    { explicit },
  ],
  [
    "Item",
    { ...item, ...wrong },
    `refused other-type /influences/elder Item.influences.elder: boolean, string
     refused other-type /properties/0/name ItemProperty.name: string, integer
     refused missing /properties/0/values/0/1 ItemProperty.values: unsigned integer, absent
     refused missing /properties/0/values/1/0 ItemProperty.values: string, absent
     refused missing /properties/0/values/1/1 ItemProperty.values: unsigned integer, absent
     refused other-type /properties/0/values/2/1 ItemProperty.values: unsigned integer, string
     refused other-type /properties/0/values/3 ItemProperty.values: array, object
     refused other-type /rewards/0/label Item.rewards.label: string, integer
     refused other-type /rewards/0/rewards/w Item.rewards.rewards: integer, string
     refused missing /explicitMods/2/description ItemMod.description: string, absent
     refused other-type /explicitMods/3 Item.explicitMods: string or object, integer
     refused other-type /socketedItems/0/w Item.w: unsigned integer, number
     refused other-type /socketedItems/1 Item.socketedItems: object, integer
     other-type /explicitMods/1 Item.explicitMods: string, object
     other-type /explicitMods/1/flags ItemMod.flags: dictionary of boolean, array
     other-type /explicitMods/2 Item.explicitMods: string, object
     unknown-key /socketedItems/0/later Item.later: absent, integer`,
  ],
  [
    "Passives",
    { ...passives, ...ofPassives },
    `refused other-type /mastery_effects/1 Passives.mastery_effects: string, integer
     refused other-type /jewel_data/2/subgraph/groups/x/y PassiveGroup.y: finite number, string
     refused other-type /jewel_data/2/subgraph/nodes/n/in PassiveNode.in: array, integer
     refused other-type /jewel_data/hashes/type ItemJewelData.type: string, integer
     other-type /mastery_effects Passives.mastery_effects: dictionary of integer, array
     unknown-word /specialisations/set3 Passives.specialisations: one of 3 keys, another key
     missing /skill_overrides/1/out PassiveNode.out: array, absent
     missing /skill_overrides/1/in PassiveNode.in: array, absent
     missing /jewel_data/2/subgraph/nodes/n/out PassiveNode.out: array, absent`,
  ],
  [
    "PublicStashChange",
    gone,
    ["accountName", "stash", "stashType", "league", "items"]
      .map((name) => {
        const of = `PublicStashChange.${name}: absence in an unlisted change`;
        return `not-omitted /${name} ${of}, ${name === "items" ? "array" : "string"}`;
      })
      .join("\n"),
    { explicit },
  ],
  ["PublicStashChange", gone, ""],
  ["PublicStashChange", { id: unlisted.id, public: false }, "", { explicit }],
  ["PublicStashChange", listed, "", { explicit }],
  [
    "StashTab",
    { id: "x", name: "1", type: "", metadata, children: [1] },
    `refused other-type /children/0 StashTab.children: object, integer
     other-form /id StashTab.id: hex-10, string of length 1
     unknown-key /metadata/a~1b~0c StashTab.metadata.a/b~c: absent, integer
     other-form /metadata/colour StashTab.metadata.colour: colour, string of length 2
     other-type /metadata/map StashTab.metadata.map: dictionary, array`,
  ],
  [
    "LadderEntry",
    { rank: null, dead: false, retired: null, public: true, character: ladderCharacter },
    `refused other-type /rank LadderEntry.rank: unsigned integer, null
     explicit-false /dead LadderEntry.dead: absence, false
     explicit-null /retired LadderEntry.retired: absence, null`,
    { explicit },
  ],
  [
    "League",
    { id: "x", category: { id: null } },
    "missing /category/id League.category.id: string, absent",
    { explicit },
  ],
  ["Account", { ...account, realm: "box", tv: livestream }, "", { words }],
  ["Account", account, "", { words: { livestream: "name" } }],
  [
    "Account",
    { ...account, realm: "box", later: 1, tv: { name: 1 } },
    `refused other-type /tv/name Account.tv.name: string, integer
     unknown-key /later Account.later: absent, integer`,
    { words },
  ],
  [
    // The word of game 2 is none of the documented ones here.
    "Account",
    { ...account, realm: "box", tv: livestream },
    `unknown-key /tv Account.tv: absent, object
     unknown-word /realm Account.realm: one of 3 words, string`,
    { words: { game2: "box" } },
  ],
])("Drift.report lists each deviation in a value of %s: %#", (name, value, lines, options) => {
  const found = Drift.report(recordKinds.get(name)!, value, options).map(format);
  expect(found).toEqual(lines === "" ? [] : lines.split(/\n\s*/u));
});

it("Drift.summary counts equal deviations of the same member", () => {
  const items = [1, 1, "x"].map((a) => ({ ...item, a }));
  const found = Drift.report(PublicStashChange, { ...listed, items });
  expect([...Drift.summary(found)]).toEqual([
    ["unknown-key Item.a: integer", 2],
    ["unknown-key Item.a: string", 1],
  ]);
});
