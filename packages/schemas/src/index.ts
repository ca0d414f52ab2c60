/**
 * The records of the Game Data API without Effect at run time: types, checks, parsing functions.
 *
 * The Effect Schemas of the same records are in `@game-data/schemas/effect`.
 *
 * @example
 * ```ts
 * import { Guild } from "@game-data/schemas";
 *
 * const guild: Guild = Guild.decode({ id: 1, name: "Ember", tag: "E" });
 * if (guild.name !== "Ember") throw new Error("another guild");
 * ```
 *
 * @packageDocumentation
 */
export { Account } from "./plain/generated/Account.ts";
export { Character } from "./plain/generated/Character.ts";
export { CrucibleNode } from "./plain/generated/CrucibleNode.ts";
export { CurrencyExchangePage } from "./plain/generated/CurrencyExchangePage.ts";
export * from "./plain/DisplayMode.ts";
export { ErrorObject } from "./plain/generated/ErrorObject.ts";
export { EventLadderEntry } from "./plain/generated/EventLadderEntry.ts";
export * from "./plain/FrameType.ts";
export { GemPage } from "./plain/generated/GemPage.ts";
export { GemTab } from "./plain/generated/GemTab.ts";
export { Guild } from "./plain/generated/Guild.ts";
export { Item } from "./plain/generated/Item.ts";
export { ItemFilter } from "./plain/generated/ItemFilter.ts";
export { ItemJewelData } from "./plain/generated/ItemJewelData.ts";
export * from "./plain/ItemMod.ts";
export * from "./plain/ItemProperty.ts";
export { ItemSocket } from "./plain/generated/ItemSocket.ts";
export { LadderEntry } from "./plain/generated/LadderEntry.ts";
export { League } from "./plain/generated/League.ts";
export { LeagueAccount } from "./plain/generated/LeagueAccount.ts";
export { LeagueRule } from "./plain/generated/LeagueRule.ts";
export * from "./plain/Market.ts";
export { PassiveGroup } from "./plain/generated/PassiveGroup.ts";
export { PassiveNode } from "./plain/generated/PassiveNode.ts";
export * from "./plain/Passives.ts";
export { Profile } from "./plain/generated/Profile.ts";
export * from "./plain/PublicStashChange.ts";
export { PublicStashPage } from "./plain/generated/PublicStashPage.ts";
export { PvPLadderTeamEntry } from "./plain/generated/PvPLadderTeamEntry.ts";
export { PvPLadderTeamMember } from "./plain/generated/PvPLadderTeamMember.ts";
export { PvPMatch } from "./plain/generated/PvPMatch.ts";
export * from "./plain/Realm.ts";
export { StashTab } from "./plain/generated/StashTab.ts";
export * as DateTime from "./plain/DateTime.ts";
export type { DateTimeString } from "./plain/DateTime.ts";
export {
  type DecodeOptions,
  type DecodeResult,
  type Issue,
  type PlainRecord,
  type Shape,
  type Standard,
} from "./plain/PlainRecord.ts";
export { RecordError } from "./plain/RecordError.ts";
export { unknownMember, withUnknown, type WithUnknown } from "./plain/unknown.ts";
