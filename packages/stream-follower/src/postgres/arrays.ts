/** Values of one column, for `unnest`. */
import * as PgTypes from "@effect/sql-pg/PgTypes";
import * as Result from "effect/Result";

const arrayOf = (values: ReadonlyArray<unknown>, oid: number) =>
  Result.getOrThrow(PgTypes.array(values, oid));

export const texts = (values: ReadonlyArray<string | null>) => arrayOf(values, PgTypes.OID.text);
export const blobs = (values: ReadonlyArray<Uint8Array | null>) =>
  arrayOf(values, PgTypes.OID.bytea);
export const numbers = (values: ReadonlyArray<bigint>) => arrayOf(values, PgTypes.OID.int8);
export const flags = (values: ReadonlyArray<boolean>) => arrayOf(values, PgTypes.OID.bool);
