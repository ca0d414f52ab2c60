/**
 * Checks whether a token may be sent to an address: HTTPS, or plain HTTP on this machine.
 *
 * The check is for the addresses of a service (`authUrl`, `baseUrl`) and for the host of a local
 * server. Do not use it for redirect URIs, which have stricter rules (RFC 8252 §8.3 advises against
 * `localhost`).
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
 * Whether `url` is `https:`, or `http:` on a loopback host, because tokens must not be sent in the
 * clear (RFC 6750 §5.3). `false` for text that is not a URL.
 */
export const isSecureUrl = (url: string | URL): boolean => {
  const parsed = typeof url === "string" ? URL.parse(url) : url;
  if (parsed === null) return false;
  return (
    parsed.protocol === "https:" || (parsed.protocol === "http:" && isLoopbackHost(parsed.hostname))
  );
};
