/**
 * The registered applications: those seeded for everybody, those given at the start, and those
 * registered later.
 *
 * Secrets lie here only as hashes. A seeded client's secret follows from the seed, so it can be
 * told again after a restart.
 */
import { isServiceScope, scopes as allScopes } from "@game-data/contract";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { SandboxConfig } from "../Config.ts";
import { RegistrationRejected } from "../Errors.ts";
import { derivedSecret, sha256 } from "../internal/crypto.ts";
import { Store } from "../store/Store.ts";
import { Accounts } from "./Accounts.ts";
import {
  type ClientKind,
  type ClientRegistration,
  type GrantType,
  validateRegistration,
} from "./Registration.ts";

/** A registered application. */
export interface RegisteredClient {
  /** The client's id. */
  readonly clientId: string;
  /** Name that the consent page shows. */
  readonly name: string;
  /** Whether the client can keep a secret. */
  readonly kind: ClientKind;
  /** SHA-256 of the secret in hex; null for a public client. */
  readonly secretHash: string | null;
  /** Registered redirect URIs. */
  readonly redirectUris: ReadonlyArray<string>;
  /** Scopes that the client may ask for. */
  readonly scopes: ReadonlyArray<string>;
  /** Identifier of the owning account. */
  readonly owner: string;
  /** Grants that the client may use. */
  readonly grants: ReadonlyArray<GrantType>;
  /** Whether refresh tokens are enabled for the application. */
  readonly refreshTokens: boolean;
}

/** What people are told about a client, once, in the clear. */
export interface ClientCredentials {
  /** The client's id. */
  readonly clientId: string;
  /** The secret of a confidential client. */
  readonly clientSecret?: string;
  /** Whether the client can keep a secret. */
  readonly kind: ClientKind;
  /** Registered redirect URIs. */
  readonly redirectUris: ReadonlyArray<string>;
  /** Scopes that the client may ask for. */
  readonly scopes: ReadonlyArray<string>;
}

/** The register of applications. */
export class Clients extends Context.Service<
  Clients,
  {
    /** Every registered application, the seeded ones first. */
    readonly all: Effect.Effect<ReadonlyArray<RegisteredClient>>;
    /** The application of an id. */
    byId(clientId: string): RegisteredClient | undefined;
    /** Seeded and configured clients with their secrets. */
    readonly credentials: ReadonlyArray<ClientCredentials>;
    /** Registers an application, or says which rule of §5 forbids it. */
    register(
      registration: ClientRegistration,
    ): Effect.Effect<ClientCredentials, RegistrationRejected>;
  }
>()("@game-data/sandbox/Clients") {
  /** The register in the store, with the seeded clients in it. */
  static readonly layer: Layer.Layer<
    Clients,
    RegistrationRejected,
    Store | Accounts | SandboxConfig
  > = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const store = yield* Store;
      const accounts = yield* Accounts;
      const { seed, clients } = yield* SandboxConfig;
      store.define(SCHEMA);

      /** Clients as they were last read: every request to the token endpoint asks for one. */
      const known = new Map<string, RegisteredClient>();
      let generation = store.generation();
      const byId = (clientId: string): RegisteredClient | undefined => {
        if (generation !== store.generation()) known.clear();
        generation = store.generation();
        const cached = known.get(clientId);
        if (cached !== undefined) return cached;
        const row = store.prepare("SELECT * FROM oauth_clients WHERE client_id = ?").get(clientId);
        if (row === undefined) return undefined;
        const client = fromRow(row);
        known.set(clientId, client);
        return client;
      };

      const write = (registration: ClientRegistration): ClientCredentials => {
        const owner = accounts.byName(registration.owner ?? "") ?? accounts.all[0];
        const secret =
          registration.kind === "confidential"
            ? (registration.clientSecret ?? derivedSecret(seed, `client:${registration.clientId}`))
            : undefined;
        const scopes = registration.scopes ?? defaultScopes(registration.kind);
        known.delete(registration.clientId);
        store
          .prepare(
            `INSERT OR REPLACE INTO oauth_clients
             (client_id, name, kind, secret_hash, redirect_uris, scopes, owner, grants, refresh_tokens)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            registration.clientId,
            registration.name ?? registration.clientId,
            registration.kind,
            secret === undefined ? null : sha256(secret),
            JSON.stringify(registration.redirectUris),
            scopes.join(" "),
            owner?.uuid ?? "",
            JSON.stringify(registration.grants ?? defaultGrants(registration.kind)),
            registration.refreshTokens === false ? 0 : 1,
          );
        return {
          clientId: registration.clientId,
          ...(secret === undefined ? {} : { clientSecret: secret }),
          kind: registration.kind,
          redirectUris: registration.redirectUris,
          scopes,
        };
      };

      const register = Effect.fnUntraced(function* (registration: ClientRegistration) {
        const reason = validateRegistration(registration);
        if (reason !== undefined) {
          return yield* new RegistrationRejected({ clientId: registration.clientId, reason });
        }
        return write(registration);
      });

      const initial = [...SEEDED, ...clients];
      const credentials = yield* Effect.forEach(initial, register);
      store.onReset("clients", () => {
        for (const registration of initial) write(registration);
      });

      return Clients.of({
        all: Effect.sync(() =>
          store.prepare("SELECT * FROM oauth_clients ORDER BY rowid").all().map(fromRow),
        ),
        byId,
        credentials,
        register,
      });
    }),
  );
}

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS oauth_clients (
    client_id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, secret_hash TEXT,
    redirect_uris TEXT NOT NULL, scopes TEXT NOT NULL, owner TEXT NOT NULL, grants TEXT NOT NULL,
    refresh_tokens INTEGER NOT NULL) STRICT`,
];

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
  kind === "public" ? allScopes.filter((scope) => !isServiceScope(scope)) : allScopes;

const fromRow = (row: Record<string, unknown>): RegisteredClient => ({
  clientId: String(row["client_id"]),
  name: String(row["name"]),
  kind: row["kind"] as ClientKind,
  secretHash: row["secret_hash"] as string | null,
  redirectUris: JSON.parse(String(row["redirect_uris"])) as ReadonlyArray<string>,
  scopes: String(row["scopes"]).split(" ").filter(Boolean),
  owner: String(row["owner"]),
  grants: JSON.parse(String(row["grants"])) as ReadonlyArray<GrantType>,
  refreshTokens: row["refresh_tokens"] === 1,
});
