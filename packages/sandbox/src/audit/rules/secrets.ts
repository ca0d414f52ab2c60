/** Rules of the audit about what a client sends of itself: secrets, scopes, its name. */
import {
  clientOf,
  finding,
  groups,
  isToken,
  violation,
  type Finding,
  type RuleTable,
  type Run,
} from "./model.ts";

/** A16: no secret in a URL, nor in a cookie. */
const keepsSecretsOut = ({ entries }: Run): Finding =>
  finding(
    entries.length,
    entries.flatMap((entry) =>
      [[entry.secretsInUrl, "the URL"] as const, [entry.secretsInCookie, "a cookie"] as const]
        .filter(([names]) => names.length > 0)
        .map(([names, place]) => violation(`sent ${names.join(", ")} in ${place}`, entry)),
    ),
  );

/** A17: a public client sends no secret. */
const publicSendsNoSecret = ({ entries, publicClients }: Run): Finding => {
  const ofPublic = entries.filter(
    (entry) => isToken(entry) && entry.clientId !== null && publicClients.has(entry.clientId),
  );
  return finding(
    ofPublic.length,
    ofPublic
      .filter(({ sendsSecret }) => sendsSecret)
      .map((entry) => violation("a public client sent a secret", entry)),
  );
};

/** A18: no scope that no called endpoint needs. */
const leastScopes = ({ entries, scenario, scopesOf }: Run): Finding => {
  // Under a fault a program may never come to what it asked the scope for.
  if (scenario !== "baseline") return finding(0, []);
  const used = groups(
    entries.filter((entry) => entry.token !== null && entry.endpoint !== null),
    ({ token }) => token,
  );
  return finding(
    used.length,
    used.flatMap((group) => {
      const needed = new Set(group.flatMap(({ endpoint }) => scopesOf(endpoint!)));
      const spare = group[0]!.scopes.filter((scope) => !needed.has(scope));
      return spare.length === 0
        ? []
        : [
            violation(
              `${spare.join(", ")} ${spare.length > 1 ? "were" : "was"} not needed`,
              group[0]!,
            ),
          ];
    }),
  );
};

/** A19: a token that never expires is obtained once. */
const keepsEndlessTokens = ({ entries }: Run): Finding => {
  const own = entries.filter(
    (entry) => isToken(entry) && entry.grantType === "client_credentials" && entry.status === 200,
  );
  const bySubject = groups(
    own,
    (entry) => `${clientOf(entry)} ${entry.scopes.toSorted().join(" ")}`,
  );
  return finding(
    bySubject.length,
    bySubject
      .filter((group) => {
        const refused = entries.some(
          ({ status, token }) =>
            status === 401 && group.some(({ issued }) => issued.includes(token ?? "")),
        );
        return group.length > 1 && !refused;
      })
      .map((group) => violation(`obtained ${group.length} tokens that never expire`, ...group)),
  );
};

/** A20: a `User-Agent` with name, version and contact. */
const namesItself = ({ entries }: Run): Finding =>
  finding(
    entries.length > 0 ? 1 : 0,
    groups(
      entries.filter(({ byControl, userAgent }) => !byControl && !hasContact(userAgent ?? "")),
      ({ userAgent }) => userAgent ?? "",
    ).map(([first]) =>
      violation(
        `User-Agent: ${first!.userAgent ?? "none"}; expected NAME/VERSION (contact: ADDRESS)`,
        first!,
      ),
    ),
  );

/** `NAME/1.2 (… contact: WHO)`, also behind `OAuth`. */
const hasContact = (userAgent: string): boolean => {
  const opened = userAgent.indexOf("(");
  const contact = userAgent.lastIndexOf("contact:");
  return (
    /^(?:OAuth )?[\w.-]+\/\d[\w.+-]* /u.test(userAgent) &&
    opened >= 0 &&
    opened < contact &&
    /^contact: ?[^)]+\)/u.test(userAgent.slice(contact))
  );
};

/** The rules. */
export const secretsRules: RuleTable = {
  "A16 error: puts no secret into a URL (§5: sending a token)": keepsSecretsOut,
  "A17 error: sends no secret as a public client (§5: client types)": publicSendsNoSecret,
  "A18 warning: asks for no scope that it does not need (§5: scopes)": leastScopes,
  "A19 warning: obtains a token that never expires once (§3, §5: client credentials)":
    keepsEndlessTokens,
  "A20 warning: names itself in the User-Agent (docs/choices.md: User-Agent)": namesItself,
};
