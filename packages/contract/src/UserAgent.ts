/**
 * The `User-Agent` that the service requires. It begins with
 * `OAuth {clientId}/{version} (contact: {contact})`.
 */

/** The application that sends requests. */
export interface UserAgent {
  /** The registered client id. */
  readonly clientId: string;
  /** Version of the application. */
  readonly version: string;
  /** An address of its author. */
  readonly contact: string;
  /** Text after the required part. */
  readonly comment?: string | undefined;
}

/** The header's value, or the invalid member and the reason. */
export type FormattedUserAgent =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly option: keyof UserAgent; readonly reason: string };

/**
 * Whether `text` can be a part of the header: non-empty printable ASCII without parentheses, which
 * delimit the contact.
 */
export const isHeaderText = (text: string): boolean =>
  typeof text === "string" && /^[\x20-\x7e]+$/u.test(text) && !/[()]/u.test(text);

/** Formats the header's value. The result names a member that is invalid; nothing is thrown. */
export const formatUserAgent = (agent: UserAgent): FormattedUserAgent => {
  const { clientId, version, contact, comment = "" } = agent;
  for (const option of ["clientId", "version", "contact"] as const)
    if (!isHeaderText(agent[option]))
      return {
        ok: false,
        option,
        reason: `${option} must be printable ASCII without parentheses.`,
      };
  if (!/^[\x20-\x7e]*$/u.test(comment))
    return { ok: false, option: "comment", reason: "comment must be printable ASCII." };
  const value = `OAuth ${clientId}/${version} (contact: ${contact})`;
  return { ok: true, value: comment ? `${value} ${comment}` : value };
};
