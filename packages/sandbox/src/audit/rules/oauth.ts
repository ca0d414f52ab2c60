/** Rules of the audit about codes, refresh tokens and authorization requests. */
import type { JournalEntry } from "../../journal/Journal.ts";
import {
  endOf,
  finding,
  groups,
  isAuthorize,
  isLost,
  isToken,
  notAgain,
  TOLERANCE_MILLIS,
  violation,
  withLater,
  type Finding,
  type RuleRow,
  type Run,
} from "./model.ts";

const refreshOf = ({ used }: JournalEntry): string | null =>
  used.find((ref) => ref.startsWith("refresh#")) ?? null;
const codeOf = ({ used }: JournalEntry): string | null =>
  used.find((ref) => ref.startsWith("code#")) ?? null;
/** A09: a refresh token once; once more only after a lost answer. */
const spendsRefreshOnce = ({ entries }: Run): Finding => {
  const uses = groups(entries.filter(isToken), refreshOf);
  return finding(
    uses.length,
    uses.flatMap((group) => {
      const answered = group.filter((entry) => !isLost(entry));
      return answered.length > 1 || group.length > 2
        ? [violation(`used one refresh token ${group.length} times`, ...group)]
        : [];
    }),
  );
};

/** A10: one refresh at a time. Two within the grain were under way together. */
const refreshesAlone = ({ entries }: Run): Finding => {
  const uses = groups(entries.filter(isToken), refreshOf);
  return finding(
    uses.length,
    uses.flatMap((group) =>
      group.some(
        (entry, index) =>
          index > 0 && entry.elapsedMillis < endOf(group[index - 1]!) + TOLERANCE_MILLIS,
      )
        ? [violation("two refreshes with one token at once", ...group)]
        : [],
    ),
  );
};

/** A11: a code or refresh token that was refused is not sent again. */
const invalidGrantIsFinal = ({ entries }: Run): Finding => {
  const refused = withLater(
    entries.filter(isToken),
    (entry) => refreshOf(entry) ?? codeOf(entry),
  ).filter(([{ status }]) => status === 400);
  return notAgain(refused, () => "sent again after invalid_grant");
};

/** A12: a code within 30 seconds, and once. */
const redeemsInTime = ({ entries }: Run): Finding => {
  const codes = groups(entries.filter(isToken), codeOf);
  return finding(
    codes.length,
    codes.flatMap((group) => [
      ...(group.length > 1 && !isLost(group[0]!)
        ? [violation("redeemed a code more than once", ...group)]
        : []),
      ...(group[0]!.status === 400
        ? [violation("redeemed a code too late or wrongly", group[0]!)]
        : []),
    ]),
  );
};

/** A13: S256, and a fresh challenge each time. */
const freshChallenges = ({ entries }: Run): Finding => {
  const asked = entries.filter(isAuthorize);
  return finding(asked.length, [
    ...asked
      .filter(({ challengeMethod }) => challengeMethod !== "S256")
      .map((entry) => violation("asked without code_challenge_method S256", entry)),
    ...groups(asked, ({ challenge }) => challenge)
      .filter((group) => group.length > 1)
      .map((group) => violation("used one code_challenge more than once", ...group)),
  ]);
};

/** A14: `state` present and fresh. */
const freshStates = ({ entries }: Run): Finding => {
  const asked = entries.filter(isAuthorize);
  return finding(asked.length, [
    ...asked
      .filter(({ state }) => state === null)
      .map((entry) => violation("sent no state", entry)),
    ...groups(asked, ({ state }) => state)
      .filter((group) => group.length > 1)
      .map((group) => violation("used one state more than once", ...group)),
  ]);
};

/** A15: the code of a callback with a wrong state is not redeemed. */
const checksState = ({ entries, scenario }: Run): Finding => {
  if (scenario !== "forged-callback") return finding(0, []);
  const authorized = entries.filter(isAuthorize);
  const redeemed = entries.filter((entry) => isToken(entry) && codeOf(entry) !== null);
  return finding(
    authorized.length,
    authorized.length === 0
      ? []
      : redeemed.map((entry) => violation("redeemed a code that came with a wrong state", entry)),
  );
};

/** The rules. */
export const oauthRules: ReadonlyArray<RuleRow> = [
  ["A09", "error", "spends a refresh token once", "§3, §5: refresh tokens", spendsRefreshOnce],
  ["A10", "error", "refreshes one at a time", "§5: refresh tokens", refreshesAlone],
  ["A11", "error", "takes invalid_grant as final", "RFC 6749 §5.2", invalidGrantIsFinal],
  [
    "A12",
    "error",
    "redeems a code within 30 seconds, once",
    "§3, §5: authorization codes",
    redeemsInTime,
  ],
  ["A13", "error", "uses S256 with a fresh challenge", "§4.1, §5: PKCE", freshChallenges],
  ["A14", "error", "sends a fresh state", "§4.1: state", freshStates],
  ["A15", "error", "checks the state of a callback", "§5: step 3", checksState],
];
