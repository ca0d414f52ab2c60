/** `game-data-sandbox conformance`: examines a service, with tokens of client credentials. */
import { makeWords, type Scope, type WordsInput } from "@game-data/contract";
import * as Effect from "effect/Effect";
import { WrongUsage } from "../commandLine.ts";
import { examine } from "./index.ts";

const EXIT_DEVIATES = 3;

const variable = (name: string): string => {
  const value = process.env[`GAME_DATA_${name}`];
  if (value === undefined) throw new WrongUsage(`conformance: set GAME_DATA_${name}`);
  return value;
};

/** Examines the service that the environment names. Resolves to the exit code. */
export const conformanceCommand = async (
  words: WordsInput | undefined,
  signal: AbortSignal,
): Promise<number> => {
  const [baseUrl, url] = [variable("BASE_URL"), `${variable("AUTH_URL")}/oauth/token`];
  const credentials = {
    grant_type: "client_credentials",
    client_id: variable("CLIENT_ID"),
    client_secret: variable("CLIENT_SECRET"),
  };
  let hasToken = false;
  const tokenFor = async (scopes: ReadonlyArray<Scope>): Promise<string | undefined> => {
    const body = new URLSearchParams({ ...credentials, scope: scopes.join(" ") });
    const response = await fetch(url, { method: "POST", body, signal });
    const { access_token } = (await response.json()) as { readonly access_token?: string };
    hasToken ||= access_token !== undefined;
    return access_token;
  };
  const service = { baseUrl, tokenFor, ...(words !== undefined && { words: makeWords(words) }) };
  const report = await Effect.runPromise(examine(service), { signal });
  // Without a token no operation was examined, which must not look like a service without deviations.
  if (!hasToken)
    throw new WrongUsage("conformance: the client of GAME_DATA_CLIENT_ID gets no token");
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.deviations === 0 ? 0 : EXIT_DEVIATES;
};
