/**
 * The strings of the records that a recording keeps or gives another value, by their paths in the
 * record; nothing is guessed from a member's name. Any other string is emptied, those of members
 * that records learn later as well. `test/record/redaction.test.ts` compares the table with the
 * shapes.
 */

import { wordsOf } from "../internal/wordsOf.ts";

/**
 * `id` is re-keyed; `person` becomes a pseudonym; `tab`, which a person has named, as well, but for
 * a price; `text` is emptied, but for a price; `word` is the game's and kept.
 */
export type StringClass = "id" | "person" | "tab" | "text" | "word";

const PATHS: Readonly<Record<Exclude<StringClass, "text" | "word">, string>> = {
  id: `
    Character.id Guild.id Item.id ItemFilter.id LadderEntry.character.id ListedStash.id Profile.uuid
    PublicStashPage.next_change_id PvPLadderTeamMember.character.id StashTab.folder StashTab.id
    StashTab.parent UnlistedStash.id`,
  person: `
    Account.livestream.name Account.livestream.stream.name Account.name Character.name
    EventLadderEntry.private_league.name Guild.name Guild.tag LadderEntry.character.name
    ListedStash.accountName Profile.livestream.name Profile.name
    PvPLadderTeamMember.character.name UnlistedStash.accountName`,
  tab: `ListedStash.stash StashTab.name UnlistedStash.stash`,
};

/** Paths of words, below the name of each record. */
const WORDS: Readonly<Record<string, string>> = {
  Account: "challenges.set realm",
  Character: "class league metadata.version realm",
  CrucibleNode: "icon in out reminderText stats",
  GemPage: "description skillName stats",
  GemTab: "name",
  Item: `artFilename baseType colour cosmeticMods craftedMods crucible.layout crucibleMods descrText
    desecratedMods enchantMods explicitMods flavourText fracturedMods gemBackground
    gemSkill gemSockets hybrid.baseTypeName hybrid.explicitMods hybrid.secDescrText icon
    iconTierText implicitMods incubatedItem.name inventoryId league logbookMods.faction.id
    logbookMods.faction.name logbookMods.mods logbookMods.name name prophecyText rarity realm
    rewards.label runeMods scourgeMods secDescrText stackSizeText typeLine ultimatumMods.type
    utilityMods veiledMods`,
  ItemFilter: "realm type validation.validated",
  ItemJewelData: "radiusVisual type",
  ItemMod: "description",
  ItemProperty: "icon name suffix values",
  ItemSocket: "attr item sColour type",
  Ladder: "league.cached_since",
  LadderEntry: "character.class",
  League: "category.id endAt id name realm registerAt startAt",
  LeagueRule: "description id name",
  ListedStash: "league stashType",
  Market: "league market_id",
  PassiveGroup: "nodes proxy",
  PassiveNode: `activeEffectImage activeIcon ascendancyName expansionJewel.parent
    expansionJewel.proxy flavourText group icon in inactiveIcon masteryEffects.reminderText
    masteryEffects.stats name out recipe reminderText skill stats`,
  Passives: "alternate_ascendancy bandit_choice mastery_effects pantheon_major pantheon_minor",
  Profile: "locale",
  PvPLadderTeamEntry: "last_game_time",
  PvPLadderTeamMember: "character.class character.league",
  PvPMatch: "endAt id realm registerAt startAt style",
  StashTab: "metadata.colour type",
  UnlistedStash: "league stashType",
};

/** The class of each path; that of all others is `text`. */
export const stringTable: ReadonlyMap<string, StringClass> = new Map([
  ...Object.entries(PATHS).flatMap(([kind, paths]) =>
    wordsOf(paths).map((path) => [path, kind as StringClass] as const),
  ),
  ...Object.entries(WORDS).flatMap(([record, paths]) =>
    wordsOf(paths).map((path) => [`${record}.${path}`, "word"] as const),
  ),
]);

/** Classes of the parameters that are no words of a fixed list. */
export const parameterClasses: Readonly<Record<string, StringClass>> = {
  id: "id",
  stash_id: "id",
  substash_id: "id",
  name: "person",
  league: "word",
  match: "word",
  season: "word",
};
