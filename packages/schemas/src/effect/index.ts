/**
 * The records of the Game Data API as Effect Schemas: wire-shaped, fast, tolerant, drift-reporting.
 *
 * @example
 * ```ts
 * import { Guild } from "@game-data/schemas/effect";
 * import * as Schema from "effect/Schema";
 *
 * const guild = Schema.decodeUnknownSync(Guild)({ id: 7, name: "Lamplighters", tag: "LAMP" });
 * if (guild.tag !== "LAMP") throw new Error("another guild");
 * ```
 *
 * @packageDocumentation
 */
export * from "./Account.ts";
export * from "./Character.ts";
export * from "./CrucibleNode.ts";
export * from "./CurrencyExchangePage.ts";
export * as DateTime from "./DateTime.ts";
export * from "./DisplayMode.ts";
export * from "./ErrorObject.ts";
export * from "./EventLadderEntry.ts";
export * from "./FrameType.ts";
export * from "./GemPage.ts";
export * from "./GemTab.ts";
export * from "./Guild.ts";
export * from "./Item.ts";
export * from "./ItemFilter.ts";
export * from "./ItemJewelData.ts";
export * from "./ItemMod.ts";
export * from "./ItemProperty.ts";
export * from "./ItemSocket.ts";
export * from "./LadderEntry.ts";
export * from "./League.ts";
export * from "./LeagueAccount.ts";
export * from "./LeagueRule.ts";
export * from "./Market.ts";
export * from "./PassiveGroup.ts";
export * from "./PassiveNode.ts";
export * from "./Passives.ts";
export * from "./Profile.ts";
export * from "./PublicStashChange.ts";
export * from "./PublicStashPage.ts";
export * from "./PvPLadderTeamEntry.ts";
export * from "./PvPLadderTeamMember.ts";
export * from "./PvPMatch.ts";
export * from "./Realm.ts";
export * from "./StashTab.ts";
export { DateTimeString } from "./DateTime.ts";
