/** The fourteen scopes of §5. `test/http/contract.test.ts` compares them with the contract. */
export const SCOPES: ReadonlyArray<string> = [
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
];

/** Whether only an application itself can hold a scope (§5). */
export const isServiceScope = (scope: string): boolean => scope.startsWith("service:");
