/**
 * The names of the settings: in the configuration file, in the environment and as flags.
 */

/** The settings, by the names that the configuration file uses. */
export const SETTINGS = [
  "authUrl",
  "baseUrl",
  "clientId",
  "clientSecret",
  "redirectUri",
  "contact",
  "maxWait",
  "words",
  "token",
  "tokens",
  "keychain",
] as const;

/** The name of a setting. */
export type SettingName = (typeof SETTINGS)[number];

/** Settings whose values are never printed. */
export const SECRETS: ReadonlySet<string> = new Set<SettingName>(["clientSecret", "token"]);

/** Whether a word is the name of a setting. */
export const isSettingName = (name: string): name is SettingName =>
  (SETTINGS as ReadonlyArray<string>).includes(name);

/** Returns the environment variable of a setting: `authUrl` → `GAME_DATA_AUTH_URL`. */
export const variableOf = (name: string): string =>
  `GAME_DATA_${name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`;

/** Returns the flag of a setting: `authUrl` → `--auth-url`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
