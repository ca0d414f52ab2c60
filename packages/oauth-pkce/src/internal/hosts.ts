/** What kind of place a URL's host names. Expects `URL.hostname`, which already normalises IPv4 notations and case. */

/** A literal loopback address, or `localhost` (for `authUrl` of a sandbox; never for redirect URIs). */
export const isLoopback = (hostname: string): boolean =>
  /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]" || isLocalhost(hostname);

/** A name with at least two labels that is neither an IP address nor localhost (§5, confidential clients). */
export const isRegisteredDomain = (hostname: string): boolean =>
  /^[^.:[\]]+(\.[^.:[\]]+)+$/.test(hostname) && !/\.\d+$/.test(hostname) && !isLocalhost(hostname);

const isLocalhost = (hostname: string) => /(^|\.)localhost$/.test(hostname);
