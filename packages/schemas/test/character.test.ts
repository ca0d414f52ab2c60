import { describe, expect, it } from "vitest";
import { masteryEffects } from "../src/index.ts";
import * as Conformance from "../src/Conformance.ts";
import * as Drift from "../src/Drift.ts";
import {
  Character,
  ItemJewelData,
  LeagueAccount,
  PassiveGroup,
  PassiveNode,
  Passives,
  StashTab,
} from "../src/effect/index.ts";
import {
  expectAlwaysTrue,
  expectBrokenRule,
  character,
  expectConforming,
  date,
  expectDrift,
  expectMembers,
  expectWords,
  hex10,
  item,
  node,
  passives,
  expectRefused,
} from "./support.ts";

const withPassives = (members: object) => ({ ...passives, ...members });

describe("Character", () => {
  it("has its members [RC-069]", () => {
    const { realm, ...others } = character;
    const lists = ["equipment", "skills", "inventory", "rucksack", "jewels"];
    const members = Object.keys(Character.fields).toSorted();
    const flags = ["ruthless", "expired", "deleted", "current"];
    const optional = ["league", ...flags, ...lists, "passives", "metadata"];
    expect(members).toEqual([...Object.keys(character), ...optional].toSorted());
    expectConforming(Character, character);
    for (const name of Object.keys(others)) {
      const { [name]: _, ...without } = character as Record<string, unknown>;
      expectRefused(Character, without, `/${name}`);
      expectRefused(Character, { ...character, [name]: null }, `/${name}`);
    }
    expectDrift(Character, others, "missing /realm");
    expectDrift(Character, { ...others, realm: null }, "missing /realm");
    expect(realm).toBe("pc");
    for (const name of optional) expectConforming(Character, { ...character, [name]: null });
    for (const name of lists) {
      expectConforming(Character, { ...character, [name]: [item] });
      expectRefused(Character, { ...character, [name]: [{ ...item, w: -1 }] }, `/${name}/0/w`);
      expectRefused(Character, { ...character, [name]: "" }, `/${name}`);
    }
    expectConforming(Character, {
      ...character,
      metadata: { version: "3.25" },
      league: "Standard",
      passives,
    });
    for (const name of ["level", "experience"]) {
      expectRefused(Character, { ...character, [name]: -1 }, `/${name}`);
    }
    expectRefused(Character, { ...character, metadata: { version: 3 } }, "/metadata/version");
  });

  it("has an id of 64 hexadecimal digits [RC-070]", () => {
    expectDrift(Character, { ...character, id: "ada" }, "other-form /id");
  });

  it("names pc, console_a and console_b as realms [RC-071]", () => {
    const words = ["pc", "console_a", "console_b"];
    expectWords(Character, words, (realm) => ({ ...character, realm }), "/realm");
  });

  it("has flags that are true whenever present [RC-072]", () => {
    const flags = ["ruthless", "expired", "deleted", "current"];
    expectAlwaysTrue(Character, flags, (flag, value) => ({ ...character, [flag]: value }));
  });

  it("has jewel data keyed by the x of a jewel in the same answer [RC-081]", () => {
    const jewels = [{ ...item, x: 3 }];
    const jewel_data = { "3": { type: "JewelStr" } };
    expectConforming(Character, { ...character, jewels, passives: withPassives({ jewel_data }) });
    expectBrokenRule(
      Character,
      {
        ...character,
        jewels,
        passives: withPassives({ jewel_data: { "4": { type: "JewelStr" } } }),
      },
      "/passives/jewel_data/4",
    );
    expectConforming(Character, { ...character, passives: withPassives({ jewel_data }) });
  });
});

describe("Passives", () => {
  it("has its members [RC-073]", () => {
    const choices = ["bandit_choice", "pantheon_major", "pantheon_minor", "alternate_ascendancy"];
    const members = [...Object.keys(passives), "specialisations", ...choices];
    expect(Object.keys(Passives.fields).toSorted()).toEqual(members.toSorted());
    expectConforming(Passives, passives);
    const { hashes: _, ...withoutHashes } = passives;
    expectRefused(Passives, withoutHashes, "/hashes");
    for (const name of ["hashes_ex", "mastery_effects", "skill_overrides", "jewel_data"]) {
      const { [name]: __, ...without } = passives as Record<string, unknown>;
      expectDrift(Passives, without, `missing /${name}`);
    }
    for (const name of ["hashes", "hashes_ex"]) {
      expectRefused(Passives, withPassives({ [name]: [-1] }), `/${name}/0`);
    }
    for (const name of choices) expectConforming(Passives, withPassives({ [name]: null }));
  });

  it("asks for members of one game in that game alone [NS-19]", () => {
    const { hashes_ex: _, mastery_effects: __, ...game2 } = passives;
    expectConforming(Passives, {
      ...game2,
      specialisations: { set1: [1], set2: [], shapeshift: [2] },
    });
    expectConforming(Passives, passives);
  });

  it("has mastery effects by node, and reads the packed form of older answers [RC-075]", () => {
    expectConforming(Passives, withPassives({ mastery_effects: { "53188": 4119, "1": -1 } }));
    expectRefused(
      Passives,
      withPassives({ mastery_effects: { "53188": "4119" } }),
      "/mastery_effects/53188",
    );
    expectRefused(
      Passives,
      withPassives({ mastery_effects: { "53188": 0.5 } }),
      "/mastery_effects/53188",
    );
    const packed = [String(4119 * 65_536 + 53_188)];
    expectDrift(Passives, withPassives({ mastery_effects: packed }), "other-type /mastery_effects");
    expectDrift(Passives, withPassives({ mastery_effects: [] }), "other-type /mastery_effects");
    const choice = [{ node: 53_188, effect: 4119 }];
    expect(masteryEffects({ mastery_effects: packed })).toEqual(choice);
    expect(masteryEffects({ mastery_effects: { "53188": 4119 } })).toEqual(choice);
    expect(masteryEffects({})).toEqual([]);
  });

  it("has specialisations of three sets [RC-076]", () => {
    const { hashes_ex: _, mastery_effects: __, ...game2 } = passives;
    expectDrift(
      Passives,
      { ...game2, specialisations: { set1: [1], set2: [2], shapeshift: [3], set3: [4] } },
      "unknown-word /specialisations/set3",
    );
    expectRefused(
      Passives,
      { ...game2, specialisations: { set1: [0.5] } },
      "/specialisations/set1/0",
    );
    expectRefused(Passives, { ...game2, specialisations: { set1: 1 } }, "/specialisations/set1");
  });

  it("has skill overrides by node; an empty map may be an array [RC-077]", () => {
    expectConforming(Passives, withPassives({ skill_overrides: { "100": node } }));
    expectDrift(Passives, withPassives({ skill_overrides: [] }), "other-type /skill_overrides");
    expectDrift(
      Passives,
      withPassives({ skill_overrides: { "100": { isTattoo: true } } }),
      "missing /skill_overrides/100/out",
      "missing /skill_overrides/100/in",
    );
    expectRefused(
      Passives,
      withPassives({ skill_overrides: { "100": 1 } }),
      "/skill_overrides/100",
    );
  });

  it("has a bandit of four [RC-078]", () => {
    const words = ["Kraityn", "Alira", "Oak", "Eramir"];
    expectWords(Passives, words, (word) => withPassives({ bandit_choice: word }), "/bandit_choice");
  });

  it("has a major god of four [RC-079]", () => {
    const words = ["TheBrineKing", "Arakaali", "Solaris", "Lunaris"];
    expectWords(
      Passives,
      words,
      (word) => withPassives({ pantheon_major: word }),
      "/pantheon_major",
    );
  });

  it("has a minor god of eight [RC-080]", () => {
    const words = [
      "Abberath",
      "Gruthkul",
      "Yugul",
      "Shakari",
      "Tukohama",
      "Ralakesh",
      "Garukhan",
      "Ryslatha",
    ];
    expectWords(
      Passives,
      words,
      (word) => withPassives({ pantheon_minor: word }),
      "/pantheon_minor",
    );
  });

  it("has an alternate ascendancy of three; older answers have a number [RC-082]", () => {
    const words = ["Warden", "Warlock", "Primalist"];
    const build = (word: unknown) => withPassives({ alternate_ascendancy: word });
    expectWords(Passives, words, build, "/alternate_ascendancy");
    expectDrift(Passives, build(0), "other-type /alternate_ascendancy");
  });
});

describe("Jewels and nodes", () => {
  it("has jewel data [RC-083]", () => {
    expectMembers(ItemJewelData, {
      required: { type: "JewelStr" },
      optional: {
        radius: 1500,
        radiusMin: 100,
        radiusVisual: "Large",
        subgraph: { groups: {}, nodes: {} },
      },
    });
    expectRefused(ItemJewelData, { type: "", radius: -1 }, "/radius");
    expectRefused(ItemJewelData, { type: "", radiusMin: -1 }, "/radiusMin");
    expectRefused(ItemJewelData, { type: "", subgraph: { nodes: {} } }, "/subgraph/groups");
    expectRefused(ItemJewelData, { type: "", subgraph: { groups: {} } }, "/subgraph/nodes");
  });

  it("has groups of a sub-graph by id [RC-085]", () => {
    const group = { x: 0.5, y: -1, orbits: [1], nodes: ["2"] };
    const build = (groups: unknown) => ({ type: "", subgraph: { groups, nodes: {} } });
    expectConforming(ItemJewelData, build({ "10": group }));
    expectRefused(ItemJewelData, build({ "10": {} }), "/subgraph/groups/10/x");
    expectDrift(ItemJewelData, build([]), "other-type /subgraph/groups");
  });

  it("has nodes of a sub-graph by identifier; services send their skill as text [RC-086]", () => {
    const build = (nodes: unknown) => ({ type: "", subgraph: { groups: {}, nodes } });
    expectConforming(ItemJewelData, build({ "65536": node }));
    expectDrift(
      ItemJewelData,
      build({ "65536": { ...node, skill: "65536" } }),
      "other-type /subgraph/nodes/65536/skill",
    );
    expectRefused(
      ItemJewelData,
      build({ "65536": { ...node, skill: true } }),
      "/subgraph/nodes/65536/skill",
    );
  });

  it("has groups with a place and nodes [RC-093]", () => {
    expectMembers(PassiveGroup, {
      required: { x: 1.5, y: -2, orbits: [0, 1], nodes: ["1"] },
      optional: { isProxy: true, proxy: "1" },
    });
    const group = { x: 1, y: 2, orbits: [], nodes: [] };
    expectRefused(PassiveGroup, { ...group, orbits: [-1] }, "/orbits/0");
    expectRefused(PassiveGroup, { ...group, nodes: [1] }, "/nodes/0");
    expectRefused(PassiveGroup, { ...group, x: Number.NaN }, "/x");
  });

  it("has proxy groups by true alone [RC-094]", () => {
    const group = { x: 1, y: 2, orbits: [], nodes: [] };
    expectAlwaysTrue(PassiveGroup, ["isProxy"], (flag, value) => ({ ...group, [flag]: value }));
  });

  const flags = [
    "isKeystone",
    "isNotable",
    "isMastery",
    "isBlighted",
    "isTattoo",
    "isProxy",
    "isJewelSocket",
    "isAscendancyStart",
    "isMultipleChoice",
    "isMultipleChoiceOption",
  ];
  const numbers = [
    "skill",
    "grantedStrength",
    "grantedDexterity",
    "grantedIntelligence",
    "grantedPassivePoints",
    "classStartIndex",
    "orbit",
    "orbitIndex",
  ];
  const texts = [
    "name",
    "icon",
    "inactiveIcon",
    "activeIcon",
    "activeEffectImage",
    "ascendancyName",
    "group",
  ];
  const lists = ["stats", "reminderText", "flavourText"];

  it("has nodes with edges and thirty-one other members [RC-095]", () => {
    const others = ["masteryEffects", "expansionJewel", "recipe"];
    const optional = [...flags, ...numbers, ...texts, ...lists, ...others];
    expect(optional).toHaveLength(31);
    expect(Object.keys(PassiveNode.fields).toSorted()).toEqual(
      [...optional, "out", "in"].toSorted(),
    );
    expectConforming(PassiveNode, node);
    for (const name of optional) expectConforming(PassiveNode, { ...node, [name]: null });
    for (const name of numbers) {
      expectConforming(PassiveNode, { ...node, [name]: 1 });
      expectRefused(PassiveNode, { ...node, [name]: -1 }, `/${name}`);
    }
    for (const name of texts) expectRefused(PassiveNode, { ...node, [name]: 1 }, `/${name}`);
    for (const name of lists) expectRefused(PassiveNode, { ...node, [name]: [1] }, `/${name}/0`);
    for (const name of ["out", "in"]) {
      const { [name]: _, ...without } = node as Record<string, unknown>;
      expectDrift(PassiveNode, without, `missing /${name}`);
      expectRefused(PassiveNode, { ...node, [name]: [1] }, `/${name}/0`);
    }
  });

  it("has node flags that are true whenever present [RC-096]", () => {
    expect(flags).toHaveLength(10);
    expectAlwaysTrue(PassiveNode, flags, (flag, value) => ({ ...node, [flag]: value }));
  });

  it("has mastery effects and cluster jewel sockets [RC-097]", () => {
    const effect = { effect: 1, stats: ["text"], reminderText: ["text"] };
    expectConforming(PassiveNode, { ...node, masteryEffects: [effect, { effect: 2, stats: [] }] });
    expectRefused(
      PassiveNode,
      { ...node, masteryEffects: [{ stats: [] }] },
      "/masteryEffects/0/effect",
    );
    expectRefused(
      PassiveNode,
      { ...node, masteryEffects: [{ effect: 1 }] },
      "/masteryEffects/0/stats",
    );
    const wrong = [{ ...effect, reminderText: "text" }];
    expectRefused(
      PassiveNode,
      { ...node, masteryEffects: wrong },
      "/masteryEffects/0/reminderText",
    );
    const jewel = { size: 2, index: 1, proxy: 100, parent: 200 };
    expectConforming(PassiveNode, { ...node, expansionJewel: jewel });
    expectConforming(PassiveNode, { ...node, expansionJewel: {} });
    for (const name of Object.keys(jewel)) {
      expectRefused(
        PassiveNode,
        { ...node, expansionJewel: { [name]: -1 } },
        `/expansionJewel/${name}`,
      );
    }
    for (const name of ["proxy", "parent"]) {
      expectDrift(
        PassiveNode,
        { ...node, expansionJewel: { [name]: "100" } },
        `other-type /expansionJewel/${name}`,
      );
    }
  });

  it("has a recipe of fourteen oils [RC-098]", () => {
    const oils = [
      "ClearOil",
      "SepiaOil",
      "AmberOil",
      "VerdantOil",
      "TealOil",
      "AzureOil",
      "IndigoOil",
      "VioletOil",
      "CrimsonOil",
      "BlackOil",
      "OpalescentOil",
      "SilverOil",
      "GoldenOil",
      "PrismaticOil",
    ];
    expect(oils).toHaveLength(14);
    expectWords(PassiveNode, oils, (oil) => ({ ...node, recipe: [oil] }), "/recipe/0");
  });
});

describe("StashTab", () => {
  const tab = { id: hex10, name: "1", type: "PremiumStash", metadata: {} };

  it("has its members, and tabs in tabs [RC-087]", () => {
    expectMembers(StashTab, {
      required: tab,
      optional: { parent: hex10, folder: hex10, index: 0, children: [tab], items: [item] },
    });
    expectRefused(StashTab, { ...tab, index: -1 }, "/index");
    expectRefused(StashTab, { ...tab, items: [{}] }, "/items/0/w");
    const child = { ...tab, children: [{ ...tab, name: 1 }] };
    expectRefused(StashTab, { ...tab, children: [child] }, "/children/0/children/0/name");
  });

  it("has ids of 10 hexadecimal digits [RC-088]", () => {
    for (const name of ["id", "parent", "folder"]) {
      expectConforming(StashTab, { ...tab, [name]: hex10 });
      for (const other of ["123", `${hex10}0`, "ABCDEF0123"]) {
        expectDrift(StashTab, { ...tab, [name]: other }, `other-form /${name}`);
      }
    }
  });

  it("has metadata flags that are true whenever present [RC-089]", () => {
    const build = (flag: string, value: unknown) => ({ ...tab, metadata: { [flag]: value } });
    expectAlwaysTrue(StashTab, ["public", "folder"], build, "/metadata");
  });

  it("has a colour of 6 hexadecimal digits; services strip leading zeros [RC-090]", () => {
    expectConforming(StashTab, { ...tab, metadata: { colour: "ff7f00" } });
    expectConforming(StashTab, { ...tab, metadata: { colour: "FF7F00" } });
    for (const colour of ["ff", "7f00f", "ff7f00a", "ff7f0g"]) {
      expectDrift(StashTab, { ...tab, metadata: { colour } }, "other-form /metadata/colour");
    }
  });

  it("has map metadata of any contents [RC-091]", () => {
    expectConforming(StashTab, { ...tab, metadata: { map: { series: 3, any: [{}] } } });
    expectRefused(StashTab, { ...tab, metadata: { map: "x" } }, "/metadata/map");
  });
});

describe("LeagueAccount", () => {
  it("has atlas trees [RC-092]", () => {
    expectMembers(LeagueAccount, {
      required: { atlas_passive_trees: [{ name: "One", hashes: [1] }] },
      optional: { atlas_passives: { hashes: [1, 2] } },
    });
    const trees = { atlas_passive_trees: [] };
    expectRefused(LeagueAccount, { ...trees, atlas_passives: {} }, "/atlas_passives/hashes");
    expectRefused(
      LeagueAccount,
      { ...trees, atlas_passives: { hashes: [-1] } },
      "/atlas_passives/hashes/0",
    );
    expectRefused(
      LeagueAccount,
      { atlas_passive_trees: [{ name: "" }] },
      "/atlas_passive_trees/0/hashes",
    );
    expectRefused(
      LeagueAccount,
      { atlas_passive_trees: [{ hashes: [] }] },
      "/atlas_passive_trees/0/name",
    );
  });
});

describe("Realms that the tables do not list", () => {
  it("reads a game2 character, and reports the realm [NS-17]", () => {
    expectDrift(Character, { ...character, realm: "game2" }, "unknown-word /realm");
    expect(Conformance.conforms(Character, character)).toBe(true);
    expect(Drift.typeErrors(Character, { ...character, realm: "game2" })).toEqual([]);
    expect(date).toMatch(/Z$/u);
  });
});
