/**
 * What the tour is asked for on the command line: the sandbox it starts itself, captured answers, or a deployment.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeWords, type Scope, scopes, type Words } from "@game-data/contract";
import { Redacted } from "effect";

/** Where the tour goes. */
export type Place =
  | { readonly kind: "sandbox" }
  | { readonly kind: "replay"; readonly folder: string }
  | Deployment;

/** A service that somebody else runs. Only what reads is shown there. */
export interface Deployment {
  readonly kind: "deployment";
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  /** With a secret the tour speaks for the application, without one for the user who signs in. */
  readonly clientSecret: Redacted.Redacted | undefined;
  readonly scopes: ReadonlyArray<Scope>;
  readonly redirectUri: string;
  readonly contact: string;
  readonly words: Words | undefined;
}

/** The tour as it was asked for. */
export interface TourOptions {
  readonly place: Place;
  /** Whether it stays at the end, on a terminal, and serves its pages. */
  readonly mayStay: boolean;
}

/** What `--help` says. */
export const USAGE = `The packages at work, from signing in to a revoked token.

  npm start                           against a sandbox that the tour starts and stops itself
  npm start -- --replay DIR           the same on captured answers, counted against the files
  npm start -- --auth-url URL --base-url URL --client-id ID
                                      what only reads, against a deployment

  --words FILE         JSON with the deployment's own words for realms and fields
  --scope SCOPE        a scope to ask the deployment for; may be given more than once
  --redirect-uri URI   the client's registered redirect (default http://127.0.0.1/callback, any port)
  --contact ADDRESS    who runs this, for the User-Agent
  --exit               do not stay at the end
  --help               this text

GAME_DATA_CLIENT_SECRET: the client's secret. With it the tour speaks for the application.
`;

/** A command line that makes no sense. */
export class UsageError extends Error {}

const USER_SCOPES = ["account:profile", "account:characters", "account:stashes"] as const;
const SERVICE_SCOPES = [
  "service:leagues",
  "service:leagues:ladder",
  "service:psapi",
  "service:cxapi",
] as const;

/** The options of a command line; `undefined` when it asks for help. */
export const optionsOf = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>,
): TourOptions | undefined => {
  const { values } = read(args);
  if (values.help === true) return undefined;
  const mayStay = values.exit !== true;
  const { replay } = values;
  const ofDeployment = DEPLOYMENT_FLAGS.filter((flag) => values[flag] !== undefined);
  if (ofDeployment.length === 0)
    return {
      place:
        replay === undefined ? { kind: "sandbox" } : { kind: "replay", folder: folder(replay) },
      mayStay,
    };
  if (replay !== undefined)
    throw new UsageError(`--replay has no use for --${ofDeployment.join(", --")}`);
  const required = (flag: "auth-url" | "base-url" | "client-id") => {
    const value = values[flag];
    if (value === undefined || value === "") throw new UsageError(`--${flag} is missing`);
    return value;
  };
  const clientSecret = environment["GAME_DATA_CLIENT_SECRET"] || undefined;
  const byDefault = clientSecret === undefined ? USER_SCOPES : SERVICE_SCOPES;
  const place: Deployment = {
    kind: "deployment",
    authUrl: address("auth-url", required("auth-url")),
    baseUrl: address("base-url", required("base-url")),
    clientId: required("client-id"),
    clientSecret: clientSecret === undefined ? undefined : Redacted.make(clientSecret),
    scopes: values.scope === undefined ? byDefault : values.scope.map(scope),
    redirectUri: values["redirect-uri"] ?? "http://127.0.0.1/callback",
    contact: values.contact ?? "https://github.com/game-data/game-data",
    words: values.words === undefined ? undefined : words(values.words),
  };
  return { place, mayStay };
};

const DEPLOYMENT_FLAGS = [
  "auth-url",
  "base-url",
  "client-id",
  "words",
  "scope",
  "redirect-uri",
  "contact",
] as const;

const read = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        replay: { type: "string" },
        "auth-url": { type: "string" },
        "base-url": { type: "string" },
        "client-id": { type: "string" },
        words: { type: "string" },
        scope: { type: "string", multiple: true },
        "redirect-uri": { type: "string" },
        contact: { type: "string" },
        exit: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (cause) {
    throw new UsageError((cause as Error).message);
  }
};

const folder = (path: string): string => {
  // From the place where the person typed it: a script of the root package runs in the root.
  const found = [path, join(process.env["INIT_CWD"] ?? ".", path)].find((one) => existsSync(one));
  if (found === undefined) throw new UsageError(`--replay ${path}: there is no such folder`);
  return found;
};

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const address = (flag: string, text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.has(url.hostname));
  if (!isSafe) throw new UsageError(`--${flag} ${text} is no https address (or http on loopback)`);
  return text.replace(/\/+$/u, "");
};

const scope = (text: string): Scope => {
  const found = scopes.find((one) => one === text);
  if (found === undefined) throw new UsageError(`--scope ${text}: one of ${scopes.join(", ")}`);
  return found;
};

const words = (file: string): Words => {
  try {
    return makeWords(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new UsageError(`--words ${file}: ${(cause as Error).message}`);
  }
};
