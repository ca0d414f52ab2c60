/**
 * The OAuth scopes and which of them an endpoint needs.
 *
 * Use `scopesOf` to ask an endpoint for its scopes (to request a token, to check one, to explain a
 * 403). The specification lists fourteen scopes and says that their mapping to endpoints is "not
 * shown" (§5): where a section names no scope, the mapping here is a choice, listed in
 * `docs/choices.md`.
 */
import * as Context from "effect/Context";
import * as Schema from "effect/Schema";
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";

/** The fourteen scopes of §5, in the specification's order. */
export const scopes = [
  "account:profile",
  "account:leagues",
  "account:stashes",
  "account:characters",
  "account:league_accounts",
  "account:item_filter",
  "service:leagues",
  "service:leagues:ladder",
  "service:pvp_matches",
  "service:pvp_matches:ladder",
  "service:psapi",
  "service:cxapi",
  "oauth:revoke",
  "oauth:introspect",
] as const;

/** One of the fourteen scopes of §5. */
export const Scope = /*#__PURE__*/ Schema.Literals(scopes);

/** One of the fourteen scopes of §5. */
export type Scope = (typeof scopes)[number];

/**
 * The scopes that a token must have to use the annotated endpoint: all of them.
 *
 * An endpoint without this annotation needs no token (`/oauth/authorize`, `/oauth/token`).
 */
export const RequiredScopes = /*#__PURE__*/ Context.Reference<ReadonlyArray<Scope>>(
  "@game-data/contract/RequiredScopes",
  { defaultValue: () => [] },
);

/**
 * The scopes that a token must have to use `endpoint`: all of them; none for an endpoint that needs
 * no token.
 */
export const scopesOf = (
  endpoint: Pick<HttpApiEndpoint.Top, "annotations">,
): ReadonlyArray<Scope> => Context.get(endpoint.annotations, RequiredScopes);

/**
 * Whether only an application itself can hold `scope`: client credentials of a confidential client
 * (§5).
 */
export const isServiceScope = (scope: string): boolean => scope.startsWith("service:");

/** The scopes that a user can grant: all but `service:*` (§5). */
export const userScopes: ReadonlyArray<Exclude<Scope, `service:${string}`>> =
  /*#__PURE__*/ scopes.filter((scope) => !isServiceScope(scope)) as never;
