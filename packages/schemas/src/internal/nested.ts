/**
 * A record inside itself. Like `Schema.suspend`, but a derivation that changes nothing (for the
 * type side, for encoding, for JSON) leaves the node as it is, where Effect's own makes a new one
 * and with it new nodes all the way up: the compiled checks, which belong to nodes, would be lost
 * in every `HttpApi` body that holds an item.
 *
 * Whether a derivation changes anything is asked of a small structure of all leaves that records
 * have. A derivation works on leaves, so what leaves this structure as it is leaves every record as
 * it is.
 */
import * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import type { Wire } from "./wire.ts";

const leaves = (): SchemaAST.AST =>
  Schema.StructWithRest(
    Schema.Struct({
      strings: Schema.Array(Schema.String),
      word: Schema.optionalKey(
        Schema.NullOr(Schema.Union([Schema.Literals(["a"]), Schema.String])),
      ),
      flag: Schema.Boolean,
      listed: Schema.Literal(true),
      int: Schema.Int,
      uint: Schema.Natural,
      float: Schema.Finite,
      numbers: Schema.Record(Schema.String, Schema.Natural),
      empty: Schema.Tuple([]),
      pair: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Any]),
    }),
    [Schema.Record(Schema.String, Schema.Any)],
  ).ast;

let probe: SchemaAST.AST | undefined;

class Nested extends SchemaAST.Suspend {
  /** Effect calls this to derive a node from this one; the name is Effect's, and internal there. */
  recur(derive: (ast: SchemaAST.AST) => SchemaAST.AST): SchemaAST.Suspend {
    probe ??= leaves();
    if (derive(probe) === probe) return this;
    return new SchemaAST.Suspend(
      () => derive(this.thunk()),
      this.annotations,
      undefined,
      undefined,
      this.context,
    );
  }
}

/** The record that `schema` returns, once it is needed. */
export const nested = <T>(schema: () => Wire<T>): Wire<T> =>
  Schema.make<Wire<T>>(new Nested(() => schema().ast));
