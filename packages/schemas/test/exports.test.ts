/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./Account: Account
    ./Character: Character
    ./Check: check recordKinds
    ./Conformance: conforms report
    ./CrucibleNode: CrucibleNode
    ./CurrencyExchangePage: CurrencyExchangePage
    ./DateTime: isDateTimeString toEpochMillis
    ./DisplayMode: DisplayModeNames displayMode
    ./Drift: inspect report summary typeErrors
    ./ErrorObject: ErrorObject
    ./EventLadderEntry: EventLadderEntry
    ./FrameType: FrameTypeNames frameType
    ./GemPage: GemPage
    ./GemTab: GemTab
    ./Guild: Guild
    ./Item: Item
    ./ItemFilter: ItemFilter
    ./ItemJewelData: ItemJewelData
    ./ItemMod: ItemMod modText
    ./ItemProperty: ItemProperty itemPropertyValue
    ./ItemSocket: ItemSocket
    ./JsonSchema: makeJsonSchemaWriter recordsDocument
    ./LadderEntry: LadderEntry
    ./League: League
    ./LeagueAccount: LeagueAccount
    ./LeagueRule: LeagueRule
    ./ListedStash: ListedStash stashMembers
    ./Market: Market currenciesOf
    ./PassiveGroup: PassiveGroup
    ./PassiveNode: PassiveNode
    ./Passives: Passives masteryEffects
    ./PlainRecord: isObject
    ./Profile: Profile
    ./PublicStashChange: ListedStash PublicStashChange UnlistedStash
    ./PublicStashPage: PublicStashPage
    ./PvPLadderTeamEntry: PvPLadderTeamEntry
    ./PvPLadderTeamMember: PvPLadderTeamMember
    ./PvPMatch: PvPMatch
    ./Realm: realm realmWord realms
    ./StashTab: StashTab
    ./UnlistedStash: UnlistedStash
    ./effect/*: Account Character CrucibleNode CurrencyExchangePage DateTime DateTimeString
      DisplayMode ErrorObject EventLadderEntry FrameType GemPage GemTab Guild Item ItemFilter
      ItemJewelData ItemMod ItemMods ItemProperty ItemPropertyValue ItemSocket LadderEntry
      League LeagueAccount LeagueRule ListedStash Market PassiveGroup PassiveNode Passives
      Profile PublicStashChange PublicStashPage PvPLadderTeamEntry PvPLadderTeamMember
      PvPMatch Realm RealmWord StashTab UnlistedStash recordSchema toSchema
    ./effect/DateTime: DateTimeString format isDateTimeString parse toEpochMillis
    ./effect: Account Character CrucibleNode CurrencyExchangePage DateTime DateTimeString
      DisplayMode ErrorObject EventLadderEntry FrameType GemPage GemTab Guild Item ItemFilter
      ItemJewelData ItemMod ItemMods ItemProperty ItemPropertyValue ItemSocket LadderEntry
      League LeagueAccount LeagueRule ListedStash Market PassiveGroup PassiveNode Passives
      Profile PublicStashChange PublicStashPage PvPLadderTeamEntry PvPLadderTeamMember
      PvPMatch Realm RealmWord StashTab UnlistedStash recordSchema toSchema
    ./notation: absentable cases dictionary either literal nullable numbers omitted optional
      pair record words
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
