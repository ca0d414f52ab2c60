/**
 * Connections to NATS, the streams that hold page logs, and the broker's errors translated.
 *
 * One stream per (source, realm): a busy realm must not evict the last message of a quiet one,
 * which is its checkpoint. No limit by age for the same reason.
 */
import {
  jetstream,
  JetStreamApiError,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from "@nats-io/jetstream";
import { connect as connectNats, type NatsConnection as Connection } from "@nats-io/transport-node";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import { readFile } from "node:fs/promises";
import { SinkError, type SinkErrorKind } from "../Errors.ts";
import type { StreamKey } from "../Model.ts";
import { sinkError, toSinkError, untilReachable } from "../core/attempt.ts";

/** Connection options of a broker. */
export interface NatsOptions {
  /**
   * `nats://user:password@host:port/PREFIX`, or `tls://…`; more servers follow the first host after
   * commas. PREFIX begins the names of streams and subjects; default `game_data`. Query: `replicas`,
   * and `passwordFile` for a password that is in a file instead.
   */
  readonly url: string | Redacted.Redacted;
  /**
   * Copies of each stream; one that has another number is refused. Default 1 for streams that are
   * made; 3 from the first deployment on.
   */
  readonly replicas?: number;
  /** Bytes that each stream keeps, for streams that are made: 100 MB at least. Default 20 GB. */
  readonly keepBytes?: number;
}

/** A connection with what is needed of it. */
export interface Broker {
  readonly nc: Connection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly prefix: string;
  /** As the address or a program asks for them; streams that are there have them. */
  readonly replicas: number | undefined;
  readonly keepBytes: number;
}

/** The oldest server whose streams fence racing writers; 2.9 accepted both of two. */
const MINIMUM = [2, 10, 27] as const;
const KEPT_BYTES = 20e9;

/**
 * Connects; closed with the scope. A broker that starts together with its clients is waited for.
 */
export const connect = (options: NatsOptions): Effect.Effect<Broker, SinkError, Scope.Scope> => {
  const address = typeof options.url === "string" ? options.url : Redacted.value(options.url);
  const { password, prefix, query, servers, tls, user } = parseUrl(address);
  const file = query.get("passwordFile");
  const open = promise("connect", async (): Promise<Broker> => {
    const pass = file === null ? (password ?? "") : await readPassword(file);
    const nc = await connectNats({
      servers,
      ...(user === undefined ? {} : { user, pass }),
      ...(tls ? { tls: {} } : {}),
      name: "game-data stream-follower",
      timeout: 5000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: PING_MILLIS,
    });
    return {
      nc,
      js: jetstream(nc, { timeout: REQUEST_MILLIS }),
      jsm: await jetstreamManager(nc, { checkAPI: false, timeout: REQUEST_MILLIS }),
      prefix,
      replicas: options.replicas ?? (Number(query.get("replicas")) || undefined),
      keepBytes: options.keepBytes ?? KEPT_BYTES,
    };
  }).pipe(untilReachable);
  return Effect.acquireRelease(open, ({ nc }) =>
    Effect.promise(() => nc.close().catch(() => undefined)),
  ).pipe(Effect.tap(({ nc }) => requireVersion(nc.info?.version ?? "0.0.0")));
};

/** A file that is not there is told of at once: waiting does not mend it. */
const readPassword = (file: string): Promise<string> =>
  readFile(file, "utf8").then(
    (text) => text.trimEnd(),
    (cause: unknown) => {
      throw new SinkError({ operation: "read passwordFile", kind: "internal", cause });
    },
  );

/** A server that hangs is left after three pings, for another one that answers in time. */
const PING_MILLIS = 2000;

/** A broker that elects a new leader is silent for up to twelve seconds. */
const REQUEST_MILLIS = 15_000;

const requireVersion = (version: string): Effect.Effect<void, SinkError> => {
  const parts = version.split(/[.-]/u).map(Number);
  const index = MINIMUM.findIndex((least, at) => (parts[at] ?? 0) !== least);
  if (index < 0 || (parts[index] ?? 0) > MINIMUM[index]!) return Effect.void;
  const text = `nats-server ${version} is too old: use ${MINIMUM.join(".")} or newer`;
  return Effect.fail(sinkError("connect", "incompatible", text));
};

/** The parts of an address with several hosts. */
const parseUrl = (text: string) => {
  const found = /^(nats|tls):\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/iu.exec(text);
  const [, scheme = "nats", login, hosts = "", path = "", query = ""] = found ?? [];
  const [user, password] = (login ?? "").split(":").map(decodeURIComponent);
  return {
    tls: scheme.toLowerCase() === "tls",
    servers: hosts.split(","),
    user: login === undefined ? undefined : user,
    password,
    prefix: path === "" ? "game_data" : path,
    query: new URLSearchParams(query),
  };
};

/** Name of the stream of a key. */
export const streamOf = ({ prefix }: Broker, { realm, source }: StreamKey): string =>
  `${prefix}_${source}_${realm}`;

/** Subject of its pages. */
export const subjectOf = ({ prefix }: Broker, { realm, source }: StreamKey): string =>
  `${prefix}.${source}.${realm}`;

/** Subject of parts of pages that are larger than a message may be. */
export const partsOf = (broker: Broker, key: StreamKey): string => `${subjectOf(broker, key)}.part`;

/** Subject of rejected rows: their records, and the notes that resolve them. */
export const rejectedOf = (broker: Broker, key: StreamKey): string =>
  `${subjectOf(broker, key)}.rejected`;

const configOf = (broker: Broker, key: StreamKey): Partial<StreamConfig> & { name: string } => ({
  name: streamOf(broker, key),
  subjects: [subjectOf(broker, key), partsOf(broker, key), rejectedOf(broker, key)],
  storage: "file",
  num_replicas: broker.replicas ?? 1,
  retention: "limits",
  discard: "old",
  max_bytes: broker.keepBytes,
  max_age: 0,
  allow_direct: false,
  deny_delete: true,
  deny_purge: true,
});

/**
 * Each stream reserves its limit. A cluster has one answer for servers that lack the room and for
 * servers that are away, which waiting mends.
 */
const NO_ROOM = new Map<number, SinkErrorKind>([
  [10_047, "incompatible"],
  [10_005, "unavailable"],
]);

/** Settings that would lose the checkpoint, or a page, if they were different. */
const FIXED = ["retention", "discard", "max_age", "allow_direct"] as const;

/** Makes a stream, or compares one that is there. A difference is an error, not an update. */
export const ensureStream = (
  broker: Broker,
  key: StreamKey,
): Effect.Effect<StreamInfo, SinkError> =>
  promise("open", async () => {
    const wanted = configOf(broker, key);
    const known = await infoOf(broker, key);
    if (known === undefined) {
      return broker.jsm.streams.add(wanted).catch((cause: unknown) => {
        const kind = NO_ROOM.get(codeOf(cause) ?? 0);
        if (kind === undefined) throw cause;
        const text = `${(cause as Error).message}: JetStream has no room for a stream of ${broker.keepBytes} bytes${kind === "unavailable" ? ", or a server is away" : ""}: keep less (--keep-bytes)`;
        throw sinkError("open", kind, text);
      });
    }
    const copies = known.config.num_replicas;
    if (broker.replicas !== undefined && copies !== broker.replicas) {
      throw refused(`it has ${copies} replicas, not ${broker.replicas}`);
    }
    for (const field of FIXED) {
      if ((known.config[field] || 0) !== (wanted[field] || 0)) {
        throw refused(`${field} is ${String(known.config[field])}, not ${String(wanted[field])}`);
      }
    }
    return known;
  });

const refused = (difference: string): SinkError =>
  sinkError("open", "incompatible", `the stream is configured differently: ${difference}`);

/** The state of a stream; `undefined` where there is none. */
export const infoOf = async (broker: Broker, key: StreamKey): Promise<StreamInfo | undefined> => {
  try {
    return await broker.jsm.streams.info(streamOf(broker, key));
  } catch (cause) {
    if (codeOf(cause) === STREAM_NOT_FOUND) return undefined;
    throw cause;
  }
};

export const STREAM_NOT_FOUND = 10_059;

/** A promise as an effect, its errors as `SinkError`. */
export const promise = <A>(
  operation: string,
  body: () => Promise<A>,
): Effect.Effect<A, SinkError> =>
  Effect.tryPromise({
    try: body,
    catch: toSinkError(operation, kindOf),
  });

/** JetStream's own number of an error. Texts change between versions, codes do not. */
export const codeOf = (cause: unknown): number | undefined =>
  cause instanceof JetStreamApiError ? cause.code : undefined;

const kindOf = (cause: unknown): SinkErrorKind => {
  const code = codeOf(cause);
  if (code !== undefined && NO_SPACE.has(code)) return "diskFull";
  return PERMANENT.has((cause as { name?: string } | null)?.name ?? "")
    ? "internal"
    : "unavailable";
};

/** Insufficient resources, storage, or the limit of an account. */
const NO_SPACE = new Set([10_002, 10_023, 10_028, 10_047]);
const PERMANENT = new Set([
  "AuthorizationError",
  "PermissionViolationError",
  "UserAuthenticationExpiredError",
  "InvalidArgumentError",
  "TypeError",
]);
