/**
 * The `User-Agent` that the service requires. It begins with
 * `OAuth {clientId}/{version} (contact: {contact})`.
 */

/** The application that sends the requests. */
export interface UserAgent {
  /** Client id, as registered with the OAuth server. */
  readonly clientId: string;
  readonly version: string;
  /** Address at which the service can reach the application's author. */
  readonly contact: string;
  /** Printable ASCII after the required part of the header. */
  readonly comment?: string | undefined;
}

/** Result of `formatUserAgent`: the header's value, or the invalid member and the reason. */
export type FormattedUserAgent =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly option: keyof UserAgent; readonly reason: string };

/**
 * Whether `text` can be a part of the `User-Agent` header: non-empty printable ASCII without
 * parentheses, which delimit the contact.
 */
export const isHeaderText = (text: string): boolean =>
  typeof text === "string" && /^[\x20-\x7e]+$/u.test(text) && !/[()]/u.test(text);

/** Formats the `User-Agent` header. Does not throw. The result names the first invalid member. */
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
