/**
 * The settings: their names in the configuration file, in the environment and as flags, and what
 * their values must be.
 */
import { isSecureUrl } from "@game-data/contract/SecureUrl";
import { isHeaderText } from "@game-data/contract/UserAgent";

/** The rule of a value: in words, behind "use", and as a check. */
type Rule = readonly [use: string, fits: (value: string) => boolean];

/** Tokens do not travel in the clear (RFC 6750 §5.3). */
const SECURE: Rule = ["an https address, or http on this machine", isSecureUrl];
/** The value becomes part of the User-Agent. */
const HEADER_TEXT: Rule = ["printable ASCII without parentheses", isHeaderText];
/** The value is sent in a header or a form (RFC 6749 Appendix A). */
const CREDENTIAL: Rule = [
  "visible characters without blanks",
  (text) => /^[\x21-\x7e]+$/u.test(text),
];
const ANY: Rule = ["a text", (text) => text !== ""];

/** The settings with their rules, by the names that the configuration file uses. */
const RULES = {
  authUrl: SECURE,
  baseUrl: SECURE,
  clientId: HEADER_TEXT,
  clientSecret: CREDENTIAL,
  redirectUri: ["an address on this machine, such as http://127.0.0.1/callback", isSecureUrl],
  contact: HEADER_TEXT,
  maxWait: ["a whole number of seconds", (text) => /^\d{1,9}$/u.test(text)],
  words: ANY,
  token: CREDENTIAL,
  tokens: ANY,
  keychain: ["true or false", (text) => /^(?:true|false)$/u.test(text)],
} as const satisfies Readonly<Record<string, Rule>>;

/** The name of a setting. */
export type SettingName = keyof typeof RULES;

/** The settings, by the names that the configuration file uses. */
export const SETTINGS = Object.keys(RULES) as ReadonlyArray<SettingName>;

/** Says what is wrong with a value, without repeating it; `undefined` if nothing is. */
export const problemOf = (name: SettingName, value: string): string | undefined => {
  const [use, fits] = RULES[name];
  return fits(value) ? undefined : `Invalid ${name}: use ${use}.`;
};

/** Settings whose values are never printed. */
export const SECRETS: ReadonlySet<string> = new Set<SettingName>(["clientSecret", "token"]);

/** Whether a word is the name of a setting. */
export const isSettingName = (name: string): name is SettingName => Object.hasOwn(RULES, name);

/** Returns the environment variable of a setting: `authUrl` → `GAME_DATA_AUTH_URL`. */
export const variableOf = (name: string): string =>
  `GAME_DATA_${name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`;

/** Returns the flag of a setting: `authUrl` → `--auth-url`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
