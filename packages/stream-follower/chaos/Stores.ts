/** The stores of the kill test, and what can be done to each. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type NatsCluster, startCluster } from "../test/support/NatsCluster.ts";
import { type OwnPostgres, startPostgres } from "./Postgres.ts";

const LOCK = "a lock of another program";
const STOPS = {
  fast: "a fast stop of PostgreSQL",
  crash: "a stop of the immediate kind of PostgreSQL",
} as const;
const FREEZE = "SIGSTOP of PostgreSQL";
const ofNodes = (signal: "SIGKILL" | "SIGSTOP", count: number): string =>
  `${signal} of ${count} of 3 NATS nodes`;

/** What can be done to each kind of store. */
export const DEEDS = {
  sqlite: [LOCK],
  postgres: [...Object.values(STOPS), FREEZE],
  nats: [1, 2].flatMap((count) => [ofNodes("SIGKILL", count), ofNodes("SIGSTOP", count)]),
} as const;

/** The kind of a store. */
export type StoreKind = keyof typeof DEEDS;

/** Something that is done to a store, and undone. */
export interface Deed {
  readonly name: string;
  /** Whether the store is away until it is undone. */
  readonly takesAway: boolean;
  readonly begin: () => unknown;
  readonly end: () => unknown;
}

/** A store of the test's own. */
export interface OwnStore {
  readonly kind: StoreKind;
  readonly url: string;
  readonly deeds: ReadonlyArray<Deed>;
  /**
   * Whether it answers a client of the test's own. Servers that elect a leader are away until they have
   * one, which nobody but they decides.
   */
  readonly answers?: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Starts a store; a sentence where something is not installed. */
export const startStore = async (
  kind: StoreKind,
  folder: string,
  dice: () => number,
): Promise<OwnStore | string> => {
  if (kind === "sqlite") return sqlite(join(folder, "store.db"));
  if (kind === "postgres") {
    const server = await startPostgres();
    return server === undefined ? "postgres (not installed)" : ofPostgres(server);
  }
  const program = process.env["GAME_DATA_NATS_SERVER"];
  return program === undefined
    ? "nats (GAME_DATA_NATS_SERVER is not set: scripts/with-services.mjs nats)"
    : await ofNats(await startCluster(program, 3), dice);
};

/** A file has no server; another program's lock keeps every writer out. */
const sqlite = (path: string): OwnStore => {
  let lock: DatabaseSync | undefined;
  const release = () => {
    lock?.close();
    lock = undefined;
  };
  return {
    kind: "sqlite",
    url: `sqlite:${path}`,
    deeds: [
      {
        name: LOCK,
        takesAway: true,
        begin: () => {
          lock = new DatabaseSync(path, { timeout: 5000 });
          lock.exec("BEGIN IMMEDIATE");
        },
        end: release,
      },
    ],
    close: async () => release(),
  };
};

const ofPostgres = (server: OwnPostgres): OwnStore => ({
  kind: "postgres",
  url: server.url,
  deeds: [
    ...(["fast", "crash"] as const).map((how) => ({
      name: STOPS[how],
      takesAway: true,
      begin: () => server.stop(how),
      end: () => server.start(),
    })),
    {
      name: FREEZE,
      takesAway: true,
      begin: () => server.signal("SIGSTOP"),
      end: () => server.signal("SIGCONT"),
    },
  ],
  close: () => server.close(),
});

/** One of three nodes may be away; without two there is no quorum. */
const ofNats = async (cluster: NatsCluster, dice: () => number): Promise<OwnStore> => {
  const deeds = [1, 2].flatMap((count) => {
    const chosen = () => {
      const first = Math.floor(dice() * cluster.nodes.length);
      return [...cluster.nodes, ...cluster.nodes].slice(first, first + count);
    };
    let nodes: NatsCluster["nodes"] = [];
    const all = (act: (node: (typeof nodes)[number]) => unknown) =>
      Promise.all(nodes.map((node) => act(node)));
    return [
      {
        name: ofNodes("SIGKILL", count),
        takesAway: count > 1,
        begin: () => {
          nodes = chosen();
          return all((node) => node.kill());
        },
        end: async () => {
          await all((node) => node.start());
          await all((node) => node.ready());
        },
      },
      {
        name: ofNodes("SIGSTOP", count),
        takesAway: count > 1,
        begin: () => {
          nodes = chosen();
          return all((node) => node.signal("SIGSTOP"));
        },
        end: () => all((node) => node.signal("SIGCONT")),
      },
    ];
  });
  const nc = await connect({
    servers: cluster.nodes.map(({ url }) => url),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 2000,
  });
  const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: 2000 });
  return {
    kind: "nats",
    url: cluster.urlOf("chaos"),
    deeds,
    answers: () =>
      Promise.all(["chaos_lease", "chaos_stashes_pc"].map((name) => jsm.streams.info(name))).then(
        () => true,
        () => false,
      ),
    close: async () => {
      await nc.close();
      await cluster.close();
    },
  };
};
