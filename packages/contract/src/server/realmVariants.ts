/**
 * Endpoints with an optional realm in the middle of their path, `/x[/<realm>]/y`.
 *
 * A router knows no optional segment before the last one, so such an endpoint is two: one without
 * the realm (`pc`) and one whose realm segment is bound to the realm words by a pattern. Where the
 * two could be mistaken for each other a third one closes the gap: `/stash/console_a/<x>` is always
 * the list of a console's league `<x>`, so the stash `<x>` of a `pc` league that is itself called
 * `console_a` is asked for as `/stash/pc/console_a/<x>`. That form has no other meaning in the
 * specification, and is needed nowhere else: everything the specification can say keeps its own
 * form.
 */
import * as Context from "effect/Context";
import * as Schema from "effect/Schema";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as OpenApi from "effect/http-api/OpenApi";
import { commonErrors } from "./Errors.ts";
import { stringMembers } from "./stringCodecs.ts";

/** Which endpoint of its group an endpoint is a variant of. Absent: it has one variant only. */
export interface RealmVariant {
  /** Name of the variant without a realm segment. */
  readonly of: string;
  /** The realm segment of the path. */
  readonly realm: "omitted" | "given" | "pc";
}

/** Marks the variants of one endpoint. */
export const RealmVariantOf = /*#__PURE__*/ Context.Reference<RealmVariant | undefined>(
  "@game-data/contract/RealmVariantOf",
  { defaultValue: () => undefined },
);

interface Options<
  Name extends string,
  Before extends `/${string}`,
  After extends string,
  Realms extends readonly [string, ...ReadonlyArray<string>],
  Params extends Schema.Struct.Fields,
  Success extends Schema.Top,
> {
  readonly name: Name;
  /** The path up to the realm segment. */
  readonly before: Before;
  /** The path behind it. */
  readonly after: After;
  readonly realms: Realms;
  readonly params: Params;
  readonly success: Success;
  readonly summary: string;
}

/** `name` without a realm segment and `nameOfRealm` with one. */
export const realmVariants = <
  const Name extends string,
  const Before extends `/${string}`,
  const After extends string,
  const Realms extends readonly [string, ...ReadonlyArray<string>],
  const Params extends Schema.Struct.Fields,
  Success extends Schema.Top,
>({
  name,
  before,
  after,
  realms,
  params,
  success,
  summary,
}: Options<Name, Before, After, Realms, Params, Success>) =>
  [
    HttpApiEndpoint.get(name, `${before}${after}`, {
      disableCodecs: true,
      params: stringMembers(params),
      success,
      error: commonErrors,
    })
      .annotate(RealmVariantOf, { of: name, realm: "omitted" })
      .annotate(OpenApi.Summary, summary),
    HttpApiEndpoint.get(`${name}OfRealm`, `${before}/:realm(${realms.join("|")})${after}`, {
      disableCodecs: true,
      params: stringMembers({ realm: Schema.Literals(realms), ...params }),
      success,
      error: commonErrors,
    })
      .annotate(RealmVariantOf, { of: name, realm: "given" })
      .annotate(OpenApi.Exclude, true),
  ] as const;

/**
 * The two above, and `nameExplicitPc` for a `pc` resource whose first name is one of the realm
 * words.
 */
export const ambiguousRealmVariants = <
  const Name extends string,
  const Before extends `/${string}`,
  const First extends string,
  const After extends string,
  const Realms extends readonly [string, ...ReadonlyArray<string>],
  const Params extends Schema.Struct.Fields,
  Success extends Schema.Top,
>({
  first,
  after,
  ...options
}: Options<Name, Before, After, Realms, Params, Success> & {
  /** The parameter right behind the realm segment. */
  readonly first: First;
}) =>
  [
    ...realmVariants({ ...options, after: `/:${first}${after}` }),
    HttpApiEndpoint.get(
      `${options.name}ExplicitPc`,
      `${options.before}/:realm(pc)/:${first}(${options.realms.join("|")})${after}`,
      {
        disableCodecs: true,
        params: stringMembers({ realm: Schema.Literal("pc"), ...options.params }),
        success: options.success,
        error: commonErrors,
      },
    )
      .annotate(RealmVariantOf, { of: options.name, realm: "pc" })
      .annotate(OpenApi.Exclude, true),
  ] as const;
