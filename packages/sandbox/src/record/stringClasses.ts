/**
 * Classes of the string members of records, for redaction. A member that is in no list is emptied:
 * a list of what to hide never thinks of everything, a list of what to keep errs on the safe side.
 * `test/record/record.test.ts` compares the lists with the records.
 */

/** `id` is re-keyed, `person` becomes a pseudonym, `text` is emptied, `word` is kept. */
export type StringClass = "id" | "person" | "text" | "word";

const LISTS: Readonly<Record<StringClass, string>> = {
  id: "id uuid next_change_id parent",
  person: "accountName character crafted_by",
  text: "url description filter filter_name forum_note note stash message validated version",
  word: `
    abyss activeEffectImage activeIcon alternate_ascendancy artFilename ascendancyName attr
    bandit_choice baseType baseTypeName class colour cosmeticMods craftedMods crucibleMods descrText
    desecratedMods enchantMods endAt explicitMods flavourText flavourTextNote fracturedMods
    gemBackground gemSkill gemSockets goal group icon iconTierText image implicitMods in inactiveIcon
    inventoryId item label last_game_time layout league locale market_id mastery_effects mods nodes
    out pantheon_major pantheon_minor prophecyText proxy radiusVisual rarity realm recipe registerAt
    reminderText runeMods sColour scourgeMods secDescrText set skill skillName stackSizeText startAt
    stashType stats status style suffix tag type typeLine utilityMods values veiledMods`,
};

const CLASSES: ReadonlyMap<string, StringClass> = new Map(
  Object.entries(LISTS).flatMap(([kind, names]) =>
    names
      .trim()
      .split(/\s+/u)
      .map((name) => [name, kind as StringClass] as const),
  ),
);

/** Members of leagues, matches and rules: their `id` and `name` are words of the game. */
const LEAGUE_MEMBERS = ["startAt", "rules", "category", "current"];
/** Members of items, properties and passives: their `name` is one. */
const GAME_MEMBERS = ["typeLine", "baseType", "displayMode", "skill", "grantedPassivePoints"];

const hasAny = (owner: Readonly<Record<string, unknown>>, members: ReadonlyArray<string>) =>
  members.some((member) => Object.hasOwn(owner, member));

/**
 * A rule of a league has an id, a name and a description; so has an item filter, by other names.
 */
const isRule = (owner: Readonly<Record<string, unknown>>): boolean =>
  Object.hasOwn(owner, "description") && Object.hasOwn(owner, "name");

/** The class of a member of an object, which is itself the value of the member `parent`. */
export const classOf = (
  member: string,
  owner: Readonly<Record<string, unknown>>,
  parent: string,
): StringClass => {
  const isOfGame = parent === "category" || hasAny(owner, LEAGUE_MEMBERS) || isRule(owner);
  if (member === "id" && isOfGame) return "word";
  if (member !== "name" && member !== "folder") return CLASSES.get(member) ?? "text";
  return isOfGame || hasAny(owner, GAME_MEMBERS) ? "word" : "person";
};

/** Whether a member is in the lists. */
export const isKnownMember = (member: string): boolean =>
  member === "name" || member === "folder" || CLASSES.has(member);
