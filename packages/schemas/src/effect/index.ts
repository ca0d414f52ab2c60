/**
 * The records of the Game Data API as Effect Schemas.
 *
 * @packageDocumentation
 */
import * as Plain from "../index.ts";
import { either } from "../terms.ts";
import { displayMode } from "../records/DisplayMode.ts";
import { frameType } from "../records/FrameType.ts";
import { itemPropertyValue } from "../records/ItemProperty.ts";
import { realm, realmWord } from "../records/Realm.ts";
import { recordSchema, toSchema, type Wire } from "./toSchema.ts";

export * as DateTime from "./DateTime.ts";
export { DateTimeString } from "./DateTime.ts";
export { recordSchema, type RecordSchema, toSchema, type Wire } from "./toSchema.ts";

export type Account = Plain.Account;
export const Account = /* @__PURE__ */ recordSchema(Plain.Account);
export type Character = Plain.Character;
export const Character = /* @__PURE__ */ recordSchema(Plain.Character);
export type CrucibleNode = Plain.CrucibleNode;
export const CrucibleNode = /* @__PURE__ */ recordSchema(Plain.CrucibleNode);
export type CurrencyExchangePage = Plain.CurrencyExchangePage;
export const CurrencyExchangePage = /* @__PURE__ */ recordSchema(Plain.CurrencyExchangePage);
export type ErrorObject = Plain.ErrorObject;
export const ErrorObject = /* @__PURE__ */ recordSchema(Plain.ErrorObject);
export type EventLadderEntry = Plain.EventLadderEntry;
export const EventLadderEntry = /* @__PURE__ */ recordSchema(Plain.EventLadderEntry);
export type GemPage = Plain.GemPage;
export const GemPage = /* @__PURE__ */ recordSchema(Plain.GemPage);
export type GemTab = Plain.GemTab;
export const GemTab = /* @__PURE__ */ recordSchema(Plain.GemTab);
export type Guild = Plain.Guild;
export const Guild = /* @__PURE__ */ recordSchema(Plain.Guild);
export type Item = Plain.Item;
export const Item = /* @__PURE__ */ recordSchema(Plain.Item);
export type ItemFilter = Plain.ItemFilter;
export const ItemFilter = /* @__PURE__ */ recordSchema(Plain.ItemFilter);
export type ItemJewelData = Plain.ItemJewelData;
export const ItemJewelData = /* @__PURE__ */ recordSchema(Plain.ItemJewelData);
/** The mods of an item, each as a text or as an object with flags. */
export const ItemMods: Wire<ReadonlyArray<string | Plain.ItemMod>> = /* @__PURE__ */ toSchema([
  /* @__PURE__ */ either("string", Plain.ItemMod),
]);
export type ItemMod = Plain.ItemMod;
export const ItemMod = /* @__PURE__ */ recordSchema(Plain.ItemMod);
export type ItemProperty = Plain.ItemProperty;
export const ItemProperty = /* @__PURE__ */ recordSchema(Plain.ItemProperty);
export type ItemSocket = Plain.ItemSocket;
export const ItemSocket = /* @__PURE__ */ recordSchema(Plain.ItemSocket);
export type LadderEntry = Plain.LadderEntry;
export const LadderEntry = /* @__PURE__ */ recordSchema(Plain.LadderEntry);
export type League = Plain.League;
export const League = /* @__PURE__ */ recordSchema(Plain.League);
export type LeagueAccount = Plain.LeagueAccount;
export const LeagueAccount = /* @__PURE__ */ recordSchema(Plain.LeagueAccount);
export type LeagueRule = Plain.LeagueRule;
export const LeagueRule = /* @__PURE__ */ recordSchema(Plain.LeagueRule);
export type ListedStash = Plain.ListedStash;
export const ListedStash = /* @__PURE__ */ recordSchema(Plain.ListedStash);
export type Market = Plain.Market;
export const Market = /* @__PURE__ */ recordSchema(Plain.Market);
export type PassiveGroup = Plain.PassiveGroup;
export const PassiveGroup = /* @__PURE__ */ recordSchema(Plain.PassiveGroup);
export type PassiveNode = Plain.PassiveNode;
export const PassiveNode = /* @__PURE__ */ recordSchema(Plain.PassiveNode);
export type Passives = Plain.Passives;
export const Passives = /* @__PURE__ */ recordSchema(Plain.Passives);
export type Profile = Plain.Profile;
export const Profile = /* @__PURE__ */ recordSchema(Plain.Profile);
export type PublicStashChange = Plain.PublicStashChange;
export const PublicStashChange = /* @__PURE__ */ recordSchema(Plain.PublicStashChange);
export type PublicStashPage = Plain.PublicStashPage;
export const PublicStashPage = /* @__PURE__ */ recordSchema(Plain.PublicStashPage);
export type PvPLadderTeamEntry = Plain.PvPLadderTeamEntry;
export const PvPLadderTeamEntry = /* @__PURE__ */ recordSchema(Plain.PvPLadderTeamEntry);
export type PvPLadderTeamMember = Plain.PvPLadderTeamMember;
export const PvPLadderTeamMember = /* @__PURE__ */ recordSchema(Plain.PvPLadderTeamMember);
export type PvPMatch = Plain.PvPMatch;
export const PvPMatch = /* @__PURE__ */ recordSchema(Plain.PvPMatch);
export type StashTab = Plain.StashTab;
export const StashTab = /* @__PURE__ */ recordSchema(Plain.StashTab);
export type UnlistedStash = Plain.UnlistedStash;
export const UnlistedStash = /* @__PURE__ */ recordSchema(Plain.UnlistedStash);

/** Exactly one of the four realms, for requests. */
export const Realm: Wire<Plain.Realm> = /* @__PURE__ */ toSchema(realm);
export type Realm = Plain.Realm;
/** A realm in a response. Any string is accepted, and `Drift` reports undocumented realms. */
export const RealmWord: Wire<Plain.RealmWord> = /* @__PURE__ */ toSchema(realmWord);
export type RealmWord = Plain.RealmWord;
export const FrameType: Wire<Plain.FrameType> = /* @__PURE__ */ toSchema(frameType);
export type FrameType = Plain.FrameType;
export const DisplayMode: Wire<Plain.DisplayMode> = /* @__PURE__ */ toSchema(displayMode);
export type DisplayMode = Plain.DisplayMode;
export const ItemPropertyValue: Wire<Plain.ItemPropertyValue> =
  /* @__PURE__ */ toSchema(itemPropertyValue);
export type ItemPropertyValue = Plain.ItemPropertyValue;
