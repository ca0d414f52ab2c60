/** What the service said about a refusal, as the journal may tell it. */
import type { ResponseOutput } from "../http/messages.ts";

const MAX_REASON = 200;
/** What was sent may be quoted in a message; of these only words are told. */
const QUOTED = /"([^"]*)"/gu;
const WORDS = /^[\p{L} _.-]{0,19}$/u;
/** Of the length and the alphabet of a token, and not the one type that the service names. */
const TOKEN = /(?!application\/x-www-form-urlencoded\b)(?<![\w~+/=-])[\w~+/=-]{20,}/gu;

/** The message of a refusal in JSON, or the description in a redirect (RFC 6749 §4.1.2.1). */
export const reasonOf = ({ body, headers, status }: ResponseOutput): string | null => {
  const said = status < 400 ? saidIn(headers["location"]) : messageOf(body);
  if (typeof said !== "string") return null;
  return said
    .slice(0, MAX_REASON)
    .replace(QUOTED, (whole, inner: string) => (WORDS.test(inner) ? whole : '"…"'))
    .replace(TOKEN, "…");
};

const saidIn = (location: string | undefined): string | undefined => {
  if (location === undefined || !location.includes("error_description=")) return undefined;
  const query = location.slice(location.indexOf("?") + 1);
  return new URLSearchParams(query).get("error_description") ?? undefined;
};

const messageOf = (body: string | Uint8Array): unknown => {
  if (typeof body !== "string" || !body.startsWith("{")) return undefined;
  try {
    const { error, error_description, reason } = JSON.parse(body) as {
      readonly error?: string | { readonly message?: string };
      readonly error_description?: string;
      readonly reason?: string;
    };
    return error_description ?? reason ?? (typeof error === "object" ? error?.message : error);
  } catch {
    return undefined;
  }
};
