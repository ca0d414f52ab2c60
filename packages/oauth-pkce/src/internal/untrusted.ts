/**
 * Text that a server (or whoever forged a callback) sent, made fit for an error message.
 *
 * `error_description` is where servers echo what they were sent, so text that repeats a piece of a credential is withheld
 * as a whole. `error_uri` is never surfaced: nobody should follow a link that came with an error.
 */
import { Redacted } from "effect";

const MAX_DESCRIPTION = 200;
const MAX_CODE = 64;

/** Shorter pieces occur in prose by chance ("authorization" is in many secrets of tests and demos). */
const ECHO_LENGTH = 10;

/** Credentials of a request, in whatever form they were sent. */
export type Secrets = ReadonlyArray<Redacted.Redacted | undefined>;

/** A human-readable description, or `undefined` when there is none fit to show. */
export const cleanDescription = (value: unknown, secrets: Secrets): string | undefined => {
  if (typeof value !== "string") return undefined;
  const clean = printable(value);
  if (clean === "") return undefined;
  return echoes(clean, secrets)
    ? "(withheld: it repeats a credential)"
    : cap(clean, MAX_DESCRIPTION);
};

/** An error code as sent (RFC 6749 allows unknown ones), cut down to the characters that the RFC allows in one. */
export const cleanCode = (value: string, secrets: Secrets): string => {
  const clean = value.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "");
  return clean === "" || echoes(clean, secrets) ? "unreadable_error" : cap(clean, MAX_CODE);
};

// Control and format characters, surrogates: what breaks a terminal or a log line. Angle brackets: what makes HTML of it.
const printable = (value: string) =>
  value
    .slice(0, 2000)
    .replace(/[\p{C}\p{Z}<>]+/gu, " ")
    .trim();

const cap = (value: string, length: number) =>
  value.length > length ? `${value.slice(0, length)}…` : value;

const echoes = (value: string, secrets: Secrets): boolean => {
  const forms = [value, value.replace(/\s+/g, ""), percentDecoded(value)];
  return secrets.some((secret) => {
    if (secret === undefined) return false;
    const text = Redacted.value(secret);
    const length = Math.min(ECHO_LENGTH, text.length);
    for (let at = 0; at + length <= text.length; at++) {
      const piece = text.slice(at, at + length);
      if (forms.some((form) => form.includes(piece))) return true;
    }
    return false;
  });
};

const percentDecoded = (value: string) => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};
