/**
 * What kind of place a URL's host names. Expects `URL.hostname`, which already normalises IPv4
 * notations and case.
 */

/**
 * Addresses that are https, or http on a loopback address or `localhost` (for `authUrl` of a
 * sandbox; never for redirects).
 */
export const HTTPS_OR_LOOPBACK: RegExp =
  /^(https:|http:\/\/(127(\.\d+){3}|\[::1\]|([^/]+\.)?localhost)[:/])/;

/**
 * A name of at least two labels that is neither an IP address nor localhost (§5, confidential
 * clients).
 */
export const isRegisteredDomain = (hostname: string): boolean =>
  /^([^.]+\.)+(?!localhost$)[^.]*[^.\d][^.]*$/.test(hostname);
