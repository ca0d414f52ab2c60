/**
 * The entry of one grant in a token store: its tokens, and whether the refresh token has been sent.
 *
 * The intent is written before the refresh token is sent, so every reader knows that it may have
 * been used. A grant that ended leaves a tombstone (`dead`) without tokens.
 */
import * as Duration from "effect/Duration";
import * as Schema from "effect/Schema";
import { TokenSet } from "../TokenSet.ts";
import type { Entry } from "../Model.ts";

/** A refresh token's use, recorded before it is sent. Times are of the store's clock. */
const Intent = /*#__PURE__*/ Schema.Struct({
  /** The version under which the intent was first written. */
  id: Schema.String,
  at: Schema.Number,
  /** Milliseconds after `at` at which its holder has given up for certain. */
  patience: Schema.Number,
  /** Counts the sends of this refresh token, this one included. */
  attempt: Schema.Number,
  /** The holder got no response and said so. */
  isClosed: /*#__PURE__*/ Schema.optionalKey(Schema.Boolean),
});

/** The end of a grant. */
const Tombstone = /*#__PURE__*/ Schema.Struct({
  at: Schema.Number,
  status: Schema.Number,
  lostAnswer: Schema.Boolean,
  /** Whether the consent's lifetime was over. */
  hasConsentEnded: Schema.Boolean,
  /** The intent that ended it. */
  intent: /*#__PURE__*/ Schema.optionalKey(Schema.String),
});

const GrantRecordSchema = /*#__PURE__*/ Schema.Struct({
  v: /*#__PURE__*/ Schema.Literal(2),
  tokens: /*#__PURE__*/ Schema.optionalKey(TokenSet),
  intent: /*#__PURE__*/ Schema.optionalKey(Intent),
  /** The server asked not to be sent a request before this time of the store's clock. */
  notBefore: /*#__PURE__*/ Schema.optionalKey(Schema.Number),
  dead: /*#__PURE__*/ Schema.optionalKey(Tombstone),
});

/** The record of one grant. */
export interface GrantRecord extends Schema.Schema.Type<typeof GrantRecordSchema> {}

const Json = /*#__PURE__*/ Schema.fromJsonString(GrantRecordSchema);
const TokensJson = /*#__PURE__*/ Schema.fromJsonString(TokenSet);

/** A record that holds tokens and nothing else. */
export const ofTokens = (tokens: TokenSet): GrantRecord => ({ v: 2, tokens });

/** JSON of a record, secrets in clear. */
export const encode: (record: GrantRecord) => string = /*#__PURE__*/ Schema.encodeSync(Json);

/** The record in a text, also in that of earlier versions; `undefined` for any other text. */
export const decode = (text: string): GrantRecord | undefined => {
  const result = Schema.decodeUnknownResult(Json)(text);
  if (result._tag === "Success") return result.success;
  const old = Schema.decodeUnknownResult(TokensJson)(text);
  return old._tag === "Success" ? ofTokens(old.success) : undefined;
};

/** Milliseconds for which a tombstone is kept. */
const TOMBSTONE_MILLIS = 30 * 86_400_000;

/**
 * How long a store keeps a record: until its consent has ended, with a margin for clocks. Without a
 * known end the record stays.
 */
export const ttlOf = (record: GrantRecord, now: number): Duration.Duration | undefined => {
  if (record.dead) return Duration.millis(TOMBSTONE_MILLIS);
  const end = record.tokens?.consentExpiresAt;
  return end === undefined ? undefined : Duration.millis(Math.max(end - now, 0) + TOMBSTONE_MILLIS);
};

/** An entry of a store with its record. */
export interface StoredGrant {
  readonly entry: Entry;
  readonly record: GrantRecord;
}
