/**
 * Decides whether an address may carry a token: HTTPS, or plain HTTP to this machine.
 *
 * For the addresses of a service (`authUrl`, `baseUrl`) and for the host that a local server binds
 * or is called by. Redirect URIs have stricter rules of their own (RFC 8252 §8.3 rules out
 * `localhost`), so do not use this module for them.
 */

const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/iu;

/**
 * Whether `hostname` names this machine: `127.0.0.0/8`, `::1` (with or without brackets),
 * `localhost` and every name below it (RFC 6761 §6.3).
 *
 * Expects `URL.hostname` or the address of a socket, without a port.
 */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK.test(hostname);

/**
 * Whether `url` is `https:`, or `http:` on a loopback host (RFC 6750 §5.3: tokens do not travel in
 * the clear). `false` for text that is no URL.
 *
 * @example
 * ```ts
 * import { isSecureUrl } from "@game-data/contract/SecureUrl";
 *
 * console.log(isSecureUrl("http://auth.localhost:8080/"), isSecureUrl("http://example.com/"));
 * // true false
 * ```
 */
export const isSecureUrl = (url: string | URL): boolean => {
  const parsed = typeof url === "string" ? URL.parse(url) : url;
  if (parsed === null) return false;
  return (
    parsed.protocol === "https:" || (parsed.protocol === "http:" && isLoopbackHost(parsed.hostname))
  );
};
