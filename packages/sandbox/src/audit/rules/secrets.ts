/** Rules of the audit about secrets in wrong places. */
import { isToken, judge, type RuleTable, violation } from "./model.ts";

export const secretsRules: RuleTable = {
  "A46 error: keeps secrets where they belong (§4.1: state, §5: sending a token)": ({ entries }) =>
    judge(entries, (entry) => entry.misplaced.map((what) => violation(`sent ${what}`, entry))),

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
};
