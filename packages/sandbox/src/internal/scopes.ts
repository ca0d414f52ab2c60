/** The fourteen scopes of §5, until the contract's own list is read here. */
export const Scopes: ReadonlyArray<string> = [
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
