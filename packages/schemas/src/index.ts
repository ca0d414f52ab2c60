/**
 * The records of the Game Data API: types, checks and parsing functions, without Effect.
 *
 * `@game-data/schemas/effect` has the Effect Schemas of the same records.
 *
 * @packageDocumentation
 */
export * from "./records/Account.ts";
export * from "./records/Character.ts";
export * from "./records/CrucibleNode.ts";
export * from "./records/CurrencyExchangePage.ts";
export * from "./records/ErrorObject.ts";
export * from "./records/EventLadderEntry.ts";
export * from "./records/GemPage.ts";
export * from "./records/GemTab.ts";
export * from "./records/Guild.ts";
export * from "./records/Item.ts";
export * from "./records/ItemFilter.ts";
export * from "./records/ItemJewelData.ts";
export * from "./records/ItemMod.ts";
export { ItemProperty, type ItemPropertyValue } from "./records/ItemProperty.ts";
export * from "./records/ItemSocket.ts";
export * from "./records/LadderEntry.ts";
export * from "./records/League.ts";
export * from "./records/LeagueAccount.ts";
export * from "./records/LeagueRule.ts";
export * from "./records/Market.ts";
export * from "./records/PassiveGroup.ts";
export * from "./records/PassiveNode.ts";
export * from "./records/Passives.ts";
export * from "./records/Profile.ts";
export * from "./records/PublicStashChange.ts";
export * from "./records/PublicStashPage.ts";
export * from "./records/PvPLadderTeamEntry.ts";
export * from "./records/PvPLadderTeamMember.ts";
export * from "./records/PvPMatch.ts";
export * from "./records/StashTab.ts";
export {
  type DisplayMode,
  DisplayModeNames,
  type KnownDisplayMode,
} from "./records/DisplayMode.ts";
export { type FrameType, FrameTypeNames, type KnownFrameType } from "./records/FrameType.ts";
export { type Realm, realms, type RealmWord } from "./records/Realm.ts";
export * as DateTime from "./DateTime.ts";
export type { DateTimeString } from "./DateTime.ts";
export type { DecodeOptions, DecodeResult, PlainRecord, Shape, Standard } from "./PlainRecord.ts";
export { type Issue, RecordError } from "./RecordError.ts";
export { unknownMember, withUnknown, type WithUnknown } from "./unknown.ts";
