/**
 * The OAuth scopes of the specification. The scopes of an operation are in the table of operations
 * (`routes["leagues.ladder"].scopes`).
 */

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

/** An OAuth scope of the specification (§5), such as `account:profile`. */
export type Scope = (typeof scopes)[number];

/** Whether `scope` is one of the fourteen scopes of §5. */
export const isScope = (scope: string): scope is Scope => scopes.includes(scope as Scope);

/** Whether `scope` is only for applications, which get it by client credentials (§5). */
export const isServiceScope = (scope: string): boolean => scope.startsWith("service:");

/** The scopes that a user can grant: all except `service:*` (§5). */
export const userScopes: ReadonlyArray<Exclude<Scope, `service:${string}`>> = scopes.filter(
  (scope) => !isServiceScope(scope),
) as never;
