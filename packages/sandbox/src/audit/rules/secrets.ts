/** Rules of the audit about what a client sends of itself: secrets, scopes, its name. */
import {
  clientOf,
  groups,
  isToken,
  judge,
  type RuleTable,
  scopesOf,
  UNEXERCISED,
  violation,
} from "./model.ts";

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

export const secretsRules: RuleTable = {
  "A16 error: puts no secret into a URL (§5: sending a token)": ({ entries }) =>
    judge(entries, (entry) =>
      [[entry.secretsInUrl, "the URL"] as const, [entry.secretsInCookie, "a cookie"] as const]
        .filter(([names]) => names.length > 0)
        .map(([names, place]) => violation(`sent ${names.join(", ")} in ${place}`, entry)),
    ),

  "A17 error: sends no secret as a public client (§5: client types)": ({
    entries,
    publicClients,
  }) =>
    judge(
      entries.filter((entry) => isToken(entry) && publicClients.has(entry.clientId ?? "")),
      (entry) => entry.sendsSecret && violation("a public client sent a secret", entry),
    ),

  "A18 warning: asks for no scope that it does not need (§5: scopes)": ({ entries, scenario }) => {
    // Under a fault a program may never come to what it asked the scope for.
    if (scenario !== "baseline") return UNEXERCISED;
    const used = groups(entries, ({ endpoint, token }) => (endpoint === null ? null : token));
    return judge(used, (group) => {
      const needed = new Set(group.flatMap(({ endpoint }) => scopesOf(endpoint)));
      const spare = group[0]!.scopes.filter((scope) => !needed.has(scope));
      const what = `${spare.join(", ")} ${spare.length > 1 ? "were" : "was"} not needed`;
      return spare.length > 0 && violation(what, group[0]!);
    });
  },

  "A19 warning: obtains a token that never expires once (§3, §5: client credentials)": ({
    entries,
  }) => {
    const own = entries.filter(
      (entry) => isToken(entry) && entry.grantType === "client_credentials" && entry.status === 200,
    );
    const bySubject = groups(
      own,
      (entry) => `${clientOf(entry)} ${entry.scopes.toSorted().join(" ")}`,
    );
    return judge(bySubject, (group) => {
      const issued = new Set(group.flatMap((entry) => entry.issued));
      const isRefused = entries.some(
        ({ status, token }) => status === 401 && issued.has(token ?? ""),
      );
      const what = `obtained ${group.length} tokens that never expire`;
      return group.length > 1 && !isRefused && violation(what, ...group);
    });
  },

  "A20 warning: names itself in the User-Agent (docs/choices.md: User-Agent)": ({ entries }) => {
    const unnamed = entries.filter(
      ({ byControl, userAgent }) => !byControl && !hasContact(userAgent ?? ""),
    );
    return judge(entries.slice(0, 1), () =>
      groups(unnamed, ({ userAgent }) => userAgent ?? "").map(([first]) => {
        const what = `User-Agent: ${first!.userAgent ?? "none"}`;
        return violation(`${what}; expected NAME/VERSION (contact: ADDRESS)`, first!);
      }),
    );
  },
};
