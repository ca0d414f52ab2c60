/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of @game-data/schemas export exactly the names of the snapshot", async () => {
  const names = await exportedNames(new URL("..", import.meta.url));
  // An entry that exports its own name alone.
  const single = /^\.\/(\w+): \1\n/gmu;
  const records = [...names.matchAll(single)].map(([, name]) => name).join(" ");
  // Each subpath of `effect` is the whole of it.
  const whole = /^(\.\/effect): ((?:.|\n {2})+)\n/mu.exec(names)!;
  const short = names.replace(`./effect/*: ${whole[2]}\n`, "");
  expect(`${records}\n${short.replaceAll(single, "")}`).toMatchInlineSnapshot(`
    "Account Character CrucibleNode CurrencyExchangePage ErrorObject EventLadderEntry GemPage GemTab Guild Item ItemFilter ItemJewelData ItemSocket LadderEntry League LeagueAccount LeagueRule PassiveGroup PassiveNode Profile PublicStashPage PvPLadderTeamEntry PvPLadderTeamMember PvPMatch StashTab UnlistedStash
    ./Check: check recordKinds
    ./Conformance: conforms report
    ./DateTime: isDateTimeString toEpochMillis
    ./DisplayMode: DisplayModeNames displayMode
    ./Drift: inspect report summary typeErrors
    ./FrameType: FrameTypeNames frameType
    ./ItemMod: ItemMod modText
    ./ItemProperty: ItemProperty itemPropertyValue
    ./JsonSchema: makeJsonSchemaWriter recordsDocument
    ./ListedStash: ListedStash stashMembers
    ./Market: Market currenciesOf
    ./Passives: Passives masteryEffects
    ./PlainRecord: isObject
    ./PublicStashChange: ListedStash PublicStashChange UnlistedStash
    ./Realm: realm realmWord realms
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
    ./salvage: salvage salvageEach salvageExchange
    .: Account Character CrucibleNode CurrencyExchangePage DateTime DisplayModeNames
      ErrorObject EventLadderEntry FrameTypeNames GemPage GemTab Guild Item ItemFilter
      ItemJewelData ItemMod ItemProperty ItemSocket LadderEntry League LeagueAccount
      LeagueRule ListedStash Market PassiveGroup PassiveNode Passives Profile
      PublicStashChange PublicStashPage PvPLadderTeamEntry PvPLadderTeamMember PvPMatch
      RecordError StashTab UnlistedStash currenciesOf masteryEffects modText realms
      unknownMember withUnknown"
  `);
});
