/** The stores of the kill test, and the faults of each. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startPostgres } from "./Postgres.ts";

/** The kind of a store. */
export type StoreKind = "sqlite" | "postgres";

/** Makes a store unavailable, and available again. */
export interface StoreFault {
  readonly name: string;
  readonly begin: () => unknown;
  readonly end: () => unknown;
}

/** A store of the test's own. */
export interface OwnStore {
  readonly address: string;
  readonly faults: ReadonlyArray<StoreFault>;
  readonly close: () => Promise<void>;
}

/** Starts a store. Returns `undefined` if its server is not installed. */
export const startStore = async (kind: StoreKind, folder: string): Promise<OwnStore | undefined> =>
  kind === "sqlite" ? sqliteStore(join(folder, "store.db")) : postgresStore();

/** A file has no server, but the lock of another program keeps every writer out. */
const sqliteStore = (path: string): OwnStore => {
  let lock: DatabaseSync | undefined;
  const release = () => {
    lock?.close();
    lock = undefined;
  };
  const begin = () => {
    lock = new DatabaseSync(path, { timeout: 5000 });
    lock.exec("BEGIN IMMEDIATE");
  };
  return {
    address: `sqlite:${path}`,
    faults: [{ name: "a lock of another program", begin, end: release }],
    close: async () => release(),
  };
};

const postgresStore = async (): Promise<OwnStore | undefined> => {
  const server = await startPostgres();
  if (server === undefined) return undefined;
  const start = () => server.start();
  return {
    address: server.url,
    faults: [
      { name: "a fast stop of PostgreSQL", begin: () => server.stop("fast"), end: start },
      { name: "an immediate stop of PostgreSQL", begin: () => server.stop("crash"), end: start },
      {
        name: "SIGSTOP of PostgreSQL",
        begin: () => server.signal("SIGSTOP"),
        end: () => server.signal("SIGCONT"),
      },
    ],
    close: () => server.close(),
  };
};
