/**
 * The accounts of the sandbox, and the registered applications, which are seeded, passed as an
 * option, or registered later. Secrets are stored as hashes. The secret of a seeded client follows
 * from the seed.
 */
import { isServiceScope, scopes as SCOPES } from "@game-data/contract/Scope";
import * as Schema from "effect/Schema";
import { RegistrationRejected } from "../Errors.ts";
import type { Platform } from "../platform/Platform.ts";
import type { Store, Table } from "../store/Store.ts";
import {
  brokenRule,
  type ClientKind,
  type ClientRegistration,
  type GrantType,
  GrantTypes,
  Kind,
} from "./Registration.ts";

const Text = Schema.String;
const Texts = Schema.Array(Text);

const RegisteredClient = Schema.Struct({
  clientId: Text,
  name: Text,
  kind: Kind,
  /** SHA-256 of the secret in hex; null for a public client. */
  secretHash: Schema.NullOr(Text),
  redirectUris: Texts,
  scopes: Texts,
  /** UUID of the account that owns the application. */
  owner: Text,
  grants: GrantTypes,
  refreshTokens: Schema.Boolean,
});
export type RegisteredClient = typeof RegisteredClient.Type;

/** Credentials of a client, with the secret in the clear. */
export interface ClientCredentials extends Pick<
  RegisteredClient,
  "clientId" | "kind" | "redirectUris" | "scopes"
> {
  readonly clientSecret?: string;
}

interface Source {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly platform: Platform;
  readonly config: { readonly seed: number; readonly clients: ReadonlyArray<ClientRegistration> };
}

export class Clients {
  /** Seeded and configured clients with their secrets. */
  readonly credentials: ReadonlyArray<ClientCredentials>;
  readonly #table: Table<RegisteredClient>;
  readonly #of: Source;

  /** Throws `RegistrationRejected` if a configured client breaks a rule. */
  constructor(source: Source) {
    this.#of = source;
    this.#table = source.store.table("clients", "clientId", RegisteredClient);
    const initial = [...SEEDED, ...source.config.clients];
    this.credentials = initial.map((registration) => this.register(registration));
    source.store.onReset(() => initial.forEach((registration) => this.register(registration)));
  }

  all(): ReadonlyArray<RegisteredClient> {
    return this.#table.all();
  }

  byId(clientId: string): RegisteredClient | undefined {
    return this.#table.get(clientId);
  }

  /** Registers an application. Throws `RegistrationRejected` if it breaks a rule of §5. */
  register(registration: ClientRegistration): ClientCredentials {
    const { clientId, kind, owner, redirectUris } = registration;
    const { accounts, config, platform } = this.#of;
    const account = owner === undefined ? accounts.all[0]! : accounts.byName(owner);
    const broken = brokenRule(registration);
    if (broken !== undefined) throw new RegistrationRejected({ clientId, ...broken });
    if (account === undefined)
      throw new RegistrationRejected({
        clientId,
        at: "/owner",
        reason: `no account is called ${owner}`,
      });
    const drawn = () => platform.sha256(`${config.seed}:client:${clientId}`, "base64url");
    const secret = kind === "confidential" ? (registration.clientSecret ?? drawn()) : undefined;
    const scopes = registration.scopes ?? defaultScopes(kind);
    this.#table.put({
      clientId,
      name: registration.name ?? clientId,
      kind,
      secretHash: secret === undefined ? null : platform.sha256(secret, "hex"),
      redirectUris,
      scopes,
      owner: account.uuid,
      grants: registration.grants ?? defaultGrants(kind),
      refreshTokens: registration.refreshTokens !== false,
    });
    return {
      clientId,
      ...(secret !== undefined && { clientSecret: secret }),
      kind,
      redirectUris,
      scopes,
    };
  }
}

/** The seeded clients. The first of each kind may do all that its kind permits. */
const SEEDED: ReadonlyArray<ClientRegistration> = [
  {
    clientId: "example-web",
    name: "Example Web",
    kind: "confidential",
    domains: ["example.com"],
    redirectUris: ["https://app.example.com/callback"],
  },
  {
    clientId: "example-desktop",
    name: "Example Desktop",
    kind: "public",
    redirectUris: ["http://127.0.0.1:8765/callback", "http://[::1]:8765/callback"],
  },
  {
    clientId: "example-service",
    name: "Example Service",
    kind: "confidential",
    owner: "Quillon#1182",
    domains: ["example.org"],
    redirectUris: ["https://service.example.org/callback"],
    grants: ["client_credentials"],
  },
  {
    clientId: "example-no-refresh",
    name: "Example Without Refresh",
    kind: "confidential",
    owner: "Wayfarer#9020",
    domains: ["example.net"],
    redirectUris: ["https://app.example.net/callback"],
    refreshTokens: false,
  },
  {
    clientId: "example-tablet",
    name: "Example Tablet",
    kind: "public",
    owner: "Tamsin#3355",
    redirectUris: ["http://127.0.0.1:8766/callback"],
  },
];

const defaultGrants = (kind: ClientKind): ReadonlyArray<GrantType> =>
  kind === "public"
    ? ["authorization_code", "refresh_token"]
    : ["authorization_code", "client_credentials", "refresh_token"];

const defaultScopes = (kind: ClientKind): ReadonlyArray<string> =>
  kind === "public" ? SCOPES.filter((scope) => !isServiceScope(scope)) : SCOPES;

/** Returns the scopes of a parameter, separated by single spaces (RFC 6749 §3.3), each once. */
export const scopesOf = (text: string): ReadonlyArray<string> => [...new Set(text.split(" "))];

export const isSubset = (narrow: ReadonlyArray<string>, wide: ReadonlyArray<string>): boolean =>
  narrow.every((scope) => wide.includes(scope));

/**
 * Whether a client may request the scopes from a user. Service scopes need client credentials (§5).
 */
export const isUserScope = (client: RegisteredClient, scopes: ReadonlyArray<string>): boolean =>
  isSubset(scopes, client.scopes) && !scopes.some((scope) => isServiceScope(scope));

/** An account that exists from the start. Its name is fixed; its UUID follows from the seed. */
export interface SeededAccount {
  readonly name: string;
  /** UUIDv4 in canonical form. */
  readonly uuid: string;
  /** Language of the account, such as `de_DE`, or null. */
  readonly locale: string | null;
  /** Name of the linked stream, or null if none is linked. */
  readonly livestream: string | null;
}

export class Accounts {
  /** The accounts in the order of seeding. The first one owns the first seeded client. */
  readonly all: ReadonlyArray<SeededAccount>;

  constructor(seed: number, platform: Platform) {
    this.all = PEOPLE.map(([name, locale, livestream]) => ({
      name,
      uuid: uuidOf(platform.sha256(`${seed}:account:${name}`, "hex")),
      locale,
      livestream,
    }));
  }

  byName(name: string): SeededAccount | undefined {
    return this.all.find((one) => one.name === name);
  }

  byUuid(uuid: string): SeededAccount | undefined {
    return this.all.find((one) => one.uuid === uuid);
  }

  find(text: string): SeededAccount | undefined {
    return this.byName(text) ?? this.byUuid(text);
  }
}

/** Name, locale, linked stream. One name is not ASCII, because clients meet such names. */
const PEOPLE: ReadonlyArray<readonly [string, string | null, string | null]> = [
  ["Emberlyn#4071", "en_US", "emberlyn_live"],
  ["Quillon#1182", "de_DE", null],
  ["Wayfarer#9020", null, null],
  ["Tamsin#3355", "fr_FR", "tamsin_plays"],
  ["Oakhollow#6407", "pt_BR", null],
  ["Łucja#0077", "pl_PL", null],
];

/** Returns a UUIDv4 made from a hash, so that the same text has the same identifier. */
const uuidOf = (hex: string): string => {
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join("-");
};
