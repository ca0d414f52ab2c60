/**
 * Text that a server (or whoever forged a callback) sent, made fit for an error message.
 *
 * Error codes and descriptions are cut down to the characters that RFC 6749 allows in both, without angle brackets: nothing
 * is left that breaks a terminal, a log line or a page. `error_description` is where servers echo what they were sent, so
 * text that repeats a piece of a credential is withheld as a whole. `error_uri` is never surfaced: nobody should follow a
 * link that came with an error.
 */
import * as Redacted from "effect/Redacted";

const MAX_READ = 2000;
const MAX_SHOWN = 200;

/** Shorter pieces occur in prose by chance ("authorization" is in many secrets of tests and demos). */
const ECHO_LENGTH = 10;

/** Credentials of a request, in whatever form they were sent. */
export type Secrets = ReadonlyArray<Redacted.Redacted | undefined>;

/** `value` as it may be shown; `undefined` when it is no text or nothing is left of it. */
export const clean = (value: unknown, secrets: Secrets): string | undefined => {
  if (typeof value !== "string") return undefined;
  const read = value.slice(0, MAX_READ);
  const shown = read.replace(/[^!#-;=?-[\]-~]+/g, " ").trim();
  // Percent-decoded without ever throwing; and without the blanks and control characters that may hide an echo.
  const decoded = new URLSearchParams(`=${read.replaceAll("&", "")}`).get("");
  const forms = `${read}\n${decoded}\n${read.replace(/[^!-~]/g, "")}`;
  if (secrets.some((secret) => secret && echoes(forms, Redacted.value(secret))))
    return "(withheld: it repeats a credential)";
  return shown.slice(0, MAX_SHOWN) || undefined;
};

const echoes = (text: string, secret: string): boolean => {
  for (let at = 0; at === 0 || at + ECHO_LENGTH <= secret.length; at++)
    if (text.includes(secret.slice(at, at + ECHO_LENGTH))) return true;
  return false;
};
