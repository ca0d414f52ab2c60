/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./Account: Account check
    ./Character: Character check
    ./Check: check recordKinds
    ./Conformance: conforms report
    ./CrucibleNode: CrucibleNode check
    ./CurrencyExchangePage: CurrencyExchangePage check
    ./DateTime: isDateTimeString toEpochMillis
    ./DisplayMode: DisplayModeNames
    ./Drift: inspect report summary typeErrors
    ./ErrorObject: ErrorObject check
    ./EventLadderEntry: EventLadderEntry check
    ./FrameType: FrameTypeNames
    ./GemPage: GemPage check
    ./GemTab: GemTab check
    ./Guild: Guild check
    ./Item: Item check
    ./ItemFilter: ItemFilter check
    ./ItemJewelData: ItemJewelData check
    ./ItemMod: ItemMod modText
    ./ItemProperty: ItemProperty
    ./ItemSocket: ItemSocket check
    ./JsonSchema: makeJsonSchemaWriter recordsDocument
    ./LadderEntry: LadderEntry check
    ./League: League check
    ./LeagueAccount: LeagueAccount check
    ./LeagueRule: LeagueRule check
    ./ListedStash: ListedStash check
    ./Market: Market currenciesOf
    ./PassiveGroup: PassiveGroup check
    ./PassiveNode: PassiveNode check
    ./Passives: Passives masteryEffects
    ./PlainRecord: isEach isObject isStrings isUint makeRecord
    ./Profile: Profile check
    ./PublicStashChange: ListedStash PublicStashChange UnlistedStash
    ./PublicStashPage: PublicStashPage check
    ./PvPLadderTeamEntry: PvPLadderTeamEntry check
    ./PvPLadderTeamMember: PvPLadderTeamMember check
    ./PvPMatch: PvPMatch check
    ./Realm: realms
    ./StashTab: StashTab check
    ./UnlistedStash: UnlistedStash check
    ./effect/Account: Account
    ./effect/Character: Character
    ./effect/CrucibleNode: CrucibleNode
    ./effect/CurrencyExchangePage: CurrencyExchangePage
    ./effect/DateTime: DateTimeString format isDateTimeString parse toEpochMillis
    ./effect/DisplayMode: DisplayMode
    ./effect/ErrorObject: ErrorObject
    ./effect/EventLadderEntry: EventLadderEntry
    ./effect/FrameType: FrameType
    ./effect/GemPage: GemPage
    ./effect/GemTab: GemTab
    ./effect/Guild: Guild
    ./effect/Item: Item
    ./effect/ItemFilter: ItemFilter
    ./effect/ItemJewelData: ItemJewelData
    ./effect/ItemMod: ItemMod ItemMods
    ./effect/ItemProperty: ItemProperty ItemPropertyValue
    ./effect/ItemSocket: ItemSocket
    ./effect/LadderEntry: LadderEntry
    ./effect/League: League
    ./effect/LeagueAccount: LeagueAccount
    ./effect/LeagueRule: LeagueRule
    ./effect/Market: Market
    ./effect/PassiveGroup: PassiveGroup
    ./effect/PassiveNode: PassiveNode
    ./effect/Passives: Passives
    ./effect/Profile: Profile
    ./effect/PublicStashChange: ListedStash PublicStashChange UnlistedStash
    ./effect/PublicStashPage: PublicStashPage
    ./effect/PvPLadderTeamEntry: PvPLadderTeamEntry
    ./effect/PvPLadderTeamMember: PvPLadderTeamMember
    ./effect/PvPMatch: PvPMatch
    ./effect/Realm: Realm RealmWord
    ./effect/StashTab: StashTab
    ./effect: Account Character CrucibleNode CurrencyExchangePage DateTime DateTimeString
      DisplayMode ErrorObject EventLadderEntry FrameType GemPage GemTab Guild Item ItemFilter
      ItemJewelData ItemMod ItemMods ItemProperty ItemPropertyValue ItemSocket LadderEntry
      League LeagueAccount LeagueRule ListedStash Market PassiveGroup PassiveNode Passives
      Profile PublicStashChange PublicStashPage PvPLadderTeamEntry PvPLadderTeamMember
      PvPMatch Realm RealmWord StashTab UnlistedStash
    ./price: readPrice
    ./salvage: Reject salvage salvageEach salvageExchange
    .: Account Character CrucibleNode CurrencyExchangePage DateTime DisplayModeNames
      ErrorObject EventLadderEntry FrameTypeNames GemPage GemTab Guild Item ItemFilter
      ItemJewelData ItemMod ItemProperty ItemSocket LadderEntry League LeagueAccount
      LeagueRule ListedStash Market PassiveGroup PassiveNode Passives Profile
      PublicStashChange PublicStashPage PvPLadderTeamEntry PvPLadderTeamMember PvPMatch
      RecordError StashTab UnlistedStash currenciesOf masteryEffects modText realms
      unknownMember withUnknown"
  `);
});
