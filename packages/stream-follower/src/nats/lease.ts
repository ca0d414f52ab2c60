/**
 * A lease in NATS JetStream: the last message of a subject names the holder, and each publish
 * expects the one before it.
 *
 * No clocks are compared: a standby process takes over when the holder's message has not changed
 * for a whole `ttl` by its own monotonic clock.
 */
import { headers as makeHeaders } from "@nats-io/transport-node";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { SinkError } from "../Errors.ts";
import { fromStore, Lease, type LeaseOptions, type LeaseService } from "../Lease.ts";
import { keyName, type StreamKey } from "../Model.ts";
import { untilReachable } from "../core/attempt.ts";
import {
  type Broker,
  codeOf,
  connect,
  type NatsOptions,
  promise,
  STREAM_NOT_FOUND,
} from "./connection.ts";

/** Options of the lease. */
export interface NatsLeaseOptions extends LeaseOptions, NatsOptions {}

/** Content of the last message. */
interface Holder {
  readonly at: number;
  readonly epoch: number;
  /** Empty once it was released. */
  readonly owner: string;
}

/** The lease over a broker. */
export const make = (
  options: NatsLeaseOptions,
): Effect.Effect<LeaseService, SinkError, Scope.Scope> =>
  Effect.gen(function* () {
    const broker = yield* connect(options);
    const stream = `${broker.prefix}_lease`;
    // A follower that starts while the broker elects a leader waits for it.
    yield* untilReachable(promise("lease", () => ensureLeases(broker, stream)));
    const subjectOf = ({ realm, source }: StreamKey) => `${broker.prefix}.lease.${source}.${realm}`;
    /** Since when a message has been the last one, by this process's clock. */
    const seen = new Map<string, { readonly at: number; readonly since: number }>();
    /** Sequence of our own last message. */
    const own = new Map<string, number>();

    const read = async (key: StreamKey): Promise<Holder> => {
      const last = await broker.jsm.streams.getMessage(stream, { last_by_subj: subjectOf(key) });
      if (last === null) return { at: 0, epoch: 0, owner: "" };
      const { header } = last;
      return { at: last.seq, epoch: Number(header.get("Epoch")), owner: header.get("Owner") };
    };

    /** Publishes after `at`; `false` where another one was faster. */
    const publish = async (key: StreamKey, holder: Holder): Promise<boolean> => {
      const headers = makeHeaders();
      headers.set("Epoch", String(holder.epoch));
      headers.set("Owner", holder.owner);
      try {
        const expect = { lastSubjectSequence: holder.at };
        const sent = await broker.js.publish(subjectOf(key), "", { headers, expect });
        own.set(keyName(key), sent.seq);
        return true;
      } catch (cause) {
        if (codeOf(cause) !== WRONG_LAST) throw cause;
        // A lost acknowledgement looks like another writer: the message tells.
        const now = await read(key);
        if (now.owner !== holder.owner || now.epoch !== holder.epoch) return false;
        own.set(keyName(key), now.at);
        return true;
      }
    };

    return fromStore(
      {
        take: (key, owner, ttlMillis) =>
          promise("lease", async () => {
            const holder = await read(key);
            const name = keyName(key);
            const known = seen.get(name);
            const now = performance.now();
            if (known?.at !== holder.at) seen.set(name, { at: holder.at, since: now });
            const isExpired = known?.at === holder.at && now - known.since >= ttlMillis;
            if (!["", owner].includes(holder.owner) && !isExpired) return undefined;
            const epoch = holder.epoch + 1;
            const isOurs = await publish(key, { at: holder.at, epoch, owner });
            return isOurs ? epoch : undefined;
          }),
        renew: (key, owner, epoch) =>
          promise("lease", () => publish(key, { at: own.get(keyName(key)) ?? 0, epoch, owner })),
        release: (key, owner, epoch) =>
          promise("lease", async () => {
            const holder = await read(key);
            if (holder.owner !== owner || holder.epoch !== epoch) return;
            await publish(key, { at: holder.at, epoch, owner: "" });
          }),
      },
      options,
    );
  });

/** The lease over a broker, as a layer. */
export const layer = (options: NatsLeaseOptions): Layer.Layer<Lease, SinkError> =>
  Layer.effect(Lease, make(options));

const WRONG_LAST = 10_071;

const ensureLeases = async (broker: Broker, stream: string): Promise<void> => {
  try {
    await broker.jsm.streams.info(stream);
  } catch (cause) {
    if (codeOf(cause) !== STREAM_NOT_FOUND) throw cause;
    await broker.jsm.streams.add({
      name: stream,
      subjects: [`${broker.prefix}.lease.>`],
      storage: "file",
      num_replicas: broker.replicas ?? 1,
      max_msgs_per_subject: 1,
      allow_direct: false,
      deny_delete: true,
      deny_purge: true,
    });
  }
};
