/** Values like those of services, by record. */
import { account, character, item, listed, market } from "./support.ts";
import { node, passives, property, unlisted } from "./support.ts";

const rich = {
  ...item,
  influences: { elder: true },
  sockets: [{ group: 0, attr: "S", sColour: "R" }],
  socketedItems: [{ ...item, socket: 0, colour: "S", support: false }],
  properties: [property, { name: "", values: [["a", 1, {}]], progress: 0.123 }],
  rewards: [{ label: "", rewards: { gold: 1 } }],
  explicitMods: ["text", { description: "text", flags: { crafted: true } }],
  crucible: { layout: "", nodes: { "0": { out: [], in: [], stats: ["text"] } } },
  hybrid: { baseTypeName: "", properties: [property] },
  gemTabs: [{ pages: [{ properties: [property] }] }],
  logbookMods: [{ name: "", faction: { id: "Faction1", name: "" }, mods: ["text"] }],
  scourged: { tier: 1 },
};
const group = { x: 1, y: 2, orbits: [1], nodes: ["1"] };
const richPassives = {
  ...passives,
  specialisations: { set1: [1] },
  skill_overrides: { "1": { ...node, expansionJewel: { size: 1, proxy: "2" } } },
  jewel_data: { "1": { type: "", subgraph: { groups: { "1": group }, nodes: { "1": node } } } },
};
const tab = { id: "1", name: "", type: "", metadata: {} };
export const fixtures: Readonly<Record<string, unknown>> = {
  Item: rich,
  Character: { ...character, equipment: [rich], passives: richPassives },
  Passives: richPassives,
  PublicStashPage: { next_change_id: "1", stashes: [{ ...listed, items: [rich] }, unlisted] },
  PublicStashChange: { ...listed, items: [rich] },
  StashTab: { ...tab, metadata: { map: {} }, children: [tab], items: [rich] },
  LadderEntry: {
    rank: 1,
    character: { id: "", name: "", level: 1, class: "", depth: { solo: 1 } },
    account,
  },
  CurrencyExchangePage: { next_change_id: 0, markets: [market] },
};
