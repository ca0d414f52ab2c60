/** Classifies hosts of redirect URIs. Expects `URL.hostname`, which normalises IPv4 and case. */

/**
 * Whether the host is a name of at least two labels that is neither an IP address nor localhost
 * (§5, confidential clients).
 */
export const isRegisteredDomain = (hostname: string): boolean =>
  /^([^.]+\.)+(?!localhost$)\d*[^.\d][^.]*$/.test(hostname);
