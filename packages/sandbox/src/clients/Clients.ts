/**
 * The registered applications: those seeded for everybody, those given at the start, and those
 * registered later.
 *
 * Secrets lie here only as hashes. A seeded client's secret follows from the seed, so it can be
 * told again after a restart.
 */
import { isServiceScope, scopes as SCOPES } from "@game-data/contract/Scope";
import { RegistrationRejected } from "../Errors.ts";
import type { Platform } from "../platform/Platform.ts";
import type { RowOf, Store, Table } from "../store/Store.ts";
import type { Accounts } from "./Accounts.ts";
import {
  type ClientKind,
  type ClientRegistration,
  type GrantType,
  validateRegistration,
} from "./Registration.ts";

/** A registered application: its registration with what was left out. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly name: string;
  readonly kind: ClientKind;
  /** SHA-256 of the secret in hex; null for a public client. */
  readonly secretHash: string | null;
  readonly redirectUris: ReadonlyArray<string>;
  readonly scopes: ReadonlyArray<string>;
  /** Identifier of the owning account. */
  readonly owner: string;
  readonly grants: ReadonlyArray<GrantType>;
  readonly refreshTokens: boolean;
}

/** Credentials of a client, as people see them once, in the clear. */
export interface ClientCredentials extends Pick<
  RegisteredClient,
  "clientId" | "kind" | "redirectUris" | "scopes"
> {
  /** The secret of a confidential client. */
  readonly clientSecret?: string;
}

const CLIENTS = {
  name: "oauth_clients",
  key: "clientId",
  columns: {
    clientId: "text",
    name: "text",
    kind: "text",
    secretHash: "text?",
    redirectUris: "text",
    scopes: "text",
    owner: "text",
    grants: "text",
    refreshTokens: "integer",
  },
} as const;
type ClientRow = RowOf<typeof CLIENTS>;

interface ClientsSource {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly platform: Platform;
  readonly config: { readonly seed: number; readonly clients: ReadonlyArray<ClientRegistration> };
}

export class Clients {
  /** Seeded and configured clients with their secrets. */
  readonly credentials: ReadonlyArray<ClientCredentials>;
  readonly #rows: Table<ClientRow>;
  readonly #of: ClientsSource;
  /** Clients as they were last read: every request to the token endpoint asks for one. */
  readonly #last = new Map<string, readonly [ClientRow, RegisteredClient]>();

  /** Opens the register. Throws `RegistrationRejected` where a given client breaks a rule. */
  constructor(source: ClientsSource) {
    const { config, store } = source;
    this.#of = source;
    this.#rows = store.table<ClientRow>(CLIENTS);
    const initial = [...SEEDED, ...config.clients];
    this.credentials = initial.map((registration) => this.register(registration));
    store.onReset("clients", () => {
      for (const registration of initial) this.#write(registration);
    });
  }

  /** Every registered application, the seeded ones first. */
  all(): ReadonlyArray<RegisteredClient> {
    return this.#rows.all().map(fromRow);
  }

  byId(clientId: string): RegisteredClient | undefined {
    const row = this.#rows.get(clientId);
    // A store in memory hands out the same row until it is replaced.
    const [known, client] = this.#last.get(clientId) ?? [];
    if (row === undefined || known === row) return row && client;
    const fresh = fromRow(row);
    this.#last.set(clientId, [row, fresh]);
    return fresh;
  }

  /** Registers an application. Throws `RegistrationRejected` where it breaks a rule of §5. */
  register(registration: ClientRegistration): ClientCredentials {
    const { clientId, owner } = registration;
    const broken =
      validateRegistration(registration) ??
      (owner === undefined || this.#of.accounts.byName(owner) !== undefined
        ? undefined
        : { at: "/owner", reason: `no account is called ${owner}` });
    if (broken !== undefined) throw new RegistrationRejected({ clientId, ...broken });
    return this.#write(registration);
  }

  #write(registration: ClientRegistration): ClientCredentials {
    const owner = this.#of.accounts.byName(registration.owner ?? "") ?? this.#of.accounts.all[0]!;
    const { clientId, kind, redirectUris } = registration;
    const secret =
      kind === "confidential"
        ? (registration.clientSecret ??
          this.#of.platform.hmac(`game-data-sandbox:${this.#of.config.seed}`, `client:${clientId}`))
        : undefined;
    const scopes = registration.scopes ?? defaultScopes(kind);
    this.#rows.put({
      clientId,
      name: registration.name ?? clientId,
      kind,
      secretHash: secret === undefined ? null : this.#of.platform.sha256(secret, "hex"),
      redirectUris: JSON.stringify(redirectUris),
      scopes: scopes.join(" "),
      owner: owner.uuid,
      grants: JSON.stringify(registration.grants ?? defaultGrants(kind)),
      refreshTokens: registration.refreshTokens === false ? 0 : 1,
    });
    return {
      clientId,
      ...(secret === undefined ? {} : { clientSecret: secret }),
      kind,
      redirectUris,
      scopes,
    };
  }
}

/** Everybody's clients: the first of each kind may do all that its kind permits. */
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

const fromRow = (row: ClientRow): RegisteredClient => ({
  ...row,
  kind: row.kind as ClientKind,
  redirectUris: JSON.parse(row.redirectUris) as ReadonlyArray<string>,
  scopes: row.scopes.split(" ").filter(Boolean),
  grants: JSON.parse(row.grants) as ReadonlyArray<GrantType>,
  refreshTokens: row.refreshTokens === 1,
});

/**
 * The scopes of a parameter (RFC 6749 §3.3: separated by single spaces) without repetitions. One
 * that there is not is among nobody's.
 */
export const scopesOf = (text: string): ReadonlyArray<string> => [...new Set(text.split(" "))];

export const isSubset = (narrow: ReadonlyArray<string>, wide: ReadonlyArray<string>): boolean =>
  narrow.every((scope) => wide.includes(scope));

/**
 * Whether a user may be asked to consent to the scopes: service scopes need client credentials
 * (§5).
 */
export const isUserScope = (client: RegisteredClient, scopes: ReadonlyArray<string>): boolean =>
  isSubset(scopes, client.scopes) && !scopes.some((scope) => isServiceScope(scope));
