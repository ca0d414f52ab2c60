/**
 * The `User-Agent` that the service asks applications for: it begins `OAuth {clientId}/{version}
 * (contact: {contact})`.
 */

/** Who is calling. */
export interface UserAgent {
  /** The registered client id. */
  readonly clientId: string;
  /** Version of the application. */
  readonly version: string;
  /** Where its author can be reached. */
  readonly contact: string;
  /** Anything else. */
  readonly comment?: string | undefined;
}

/**
 * The header's value. Throws a `TypeError` for characters that a header or the format cannot hold.
 */
export const formatUserAgent = ({ clientId, version, contact, comment }: UserAgent): string => {
  const parts = { clientId, version, contact };
  for (const [name, value] of Object.entries(parts)) {
    if (value === "" || /[^\x20-\x7e]|[()]/u.test(value)) {
      throw new TypeError(`User-Agent: ${name} must be printable ASCII without parentheses.`);
    }
  }
  if (comment !== undefined && /[^\x20-\x7e]/u.test(comment)) {
    throw new TypeError("User-Agent: comment must be printable ASCII.");
  }
  const agent = `OAuth ${clientId}/${version} (contact: ${contact})`;
  return comment ? `${agent} ${comment}` : agent;
};
