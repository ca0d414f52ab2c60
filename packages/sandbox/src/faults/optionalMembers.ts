/**
 * Lists of members for the faults `nulls` and `members` (§6): those that are optional in every
 * record that has them, and those that hold a dictionary.
 * `test/faults/BodyFaults.test.ts` compares the lists with the records.
 */

const NAMES = `
abyssJewel accountName activeEffectImage activeIcon additionalProperties allocated
alternate_ascendancy ancestorEvent artFilename ascendancyName atlas_passives attr
bandit_choice category challenges children cisRaceReward classStartIndex colour
complete corrupted cosmeticMods craftedMods crucible crucibleMods
cumulative_opponent_points current dead default deleted delve delveEvent depth
descrText desecrated desecratedMods displayMode duplicated elder enchantMods endAt
equipment event expansionJewel expired explicitMods extended filter flags flavourText
flavourTextNote foilVariation folder foreseeing forum_note fractured fracturedMods
frameType games_played gemBackground gemSkill gemSockets gemTabs goal grantedDexterity
grantedIntelligence grantedPassivePoints grantedSkills grantedStrength guild hashes_ex
hybrid iconTierText implicitMods inProgress inactiveIcon incubatedItem index
ineligible influences inventory inventoryId isAscendancyStart isBlighted isJewelSocket
isKeystone isMastery isMultipleChoice isMultipleChoiceOption isNotable isProxy isRelic
isReward isTattoo isVaalGem item itemLevel jewel_data jewels last_game_time
leagueEvent livestream locale lockedToAccount lockedToCharacter logbookMods map
masteryEffects mastery_effects maxStackSize memoryItem nextLevelRequirements
notableProperties note orbit orbitIndex pantheon_major pantheon_minor parent passives
points prefixes properties prophecyText proxy radius radiusMin radiusVisual rarity
rating recipe registerAt reminderText replica requirements retired rucksack rules
runeMods ruthless sColour sanctified score scoreEvent scourgeMods scourged
seaRaceReward searing secDescrText shaper size skill skillName skill_overrides skills
socket socketedItems sockets solo specialisations split stackSize stackSizeText
startAt stash stream subgraph suffix suffixes support supportGemRequirements
synthesised talismanTier tangled thRaceReward time timedEvent ultimatumMods
unidentifiedTier unmodifiable unmodifiableExceptChaos upcoming utilityMods validated
validation veiled veiledMods weaponRequirements
`;

/** The members, in the order of their names. */
export const OPTIONAL_MEMBERS: ReadonlyArray<string> = NAMES.trim().split(/\s+/u);

/** Members whose value is a dictionary in every record that has them: its keys are data. */
export const DICTIONARY_MEMBERS: ReadonlySet<string> = new Set([
  "flags",
  "groups",
  "highest_ratio",
  "highest_stock",
  "jewel_data",
  "lowest_ratio",
  "lowest_stock",
  "map",
  "mastery_effects",
  "nodes",
  "progress",
  "rewards",
  "skill_overrides",
  "specialisations",
  "volume_traded",
]);
