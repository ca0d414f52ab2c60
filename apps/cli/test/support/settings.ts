/** Settings of a client that is known, for tests of the session modules. */
import { Redacted } from "effect";
import type { Settings } from "../../src/config/Settings.ts";

/** Makes settings as if they came from the command line. */
export const settingsOf = ({
  clientSecret,
  ...known
}: {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly tokens: string;
}): Settings => ({
  ...known,
  clientSecret: clientSecret === undefined ? undefined : Redacted.make(clientSecret),
  redirectUri: "http://127.0.0.1/callback",
  contact: "test@example.com",
  token: undefined,
  words: undefined,
  keychain: false,
  maxWait: 300,
  file: "",
  profile: undefined,
  sources: {},
});
