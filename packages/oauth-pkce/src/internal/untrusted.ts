/**
 * Text that a server (or whoever forged a callback) sent, made fit for an error message.
 *
 * Error codes and descriptions are cut down to the characters that RFC 6749 allows in both, without
 * angle brackets: nothing is left that breaks a terminal, a log line or a page. `error_description`
 * is where servers echo what they were sent, so text that repeats a piece of a credential is
 * withheld as a whole. `error_uri` is never surfaced: nobody should follow a link that came with an
 * error.
 */
/**
 * `value` as it may be shown next to these credentials; `undefined` when it is no text or nothing
 * is left of it.
 */
export const clean = (value: unknown, secrets: ReadonlyArray<string>): string | undefined => {
  if (typeof value !== "string") return undefined;
  // Far more than is shown, and no more: looking for long credentials in a long text takes seconds.
  const text = value.slice(0, 2000);
  const shown = text.replace(/[^!#-;=?-[\]-~]+/g, " ").trim();
  // Percent-decoded without ever throwing; and without the blanks and control characters that may
  // hide an echo.
  const decoded = new URLSearchParams(`=${text.replaceAll("&", "")}`).get("");
  const forms = `${text}\n${decoded}\n${text.replace(/[^!-~]/g, "")}`;
  return secrets.some((secret) => echoes(forms, secret))
    ? "(withheld: it repeats a credential)"
    : shown.slice(0, 200) || undefined;
};

const echoes = (text: string, secret: string): boolean => {
  // Shorter pieces occur in prose by chance ("authorization" is in many secrets of tests and
  // demos).
  for (let at = 0; !at || at + 10 <= secret.length; at++)
    if (text.includes(secret.slice(at, at + 10))) return true;
  return false;
};
