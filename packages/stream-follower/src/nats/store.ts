/** Status of the logs of a broker. */
import * as Effect from "effect/Effect";
import { SinkError } from "../Errors.ts";
import type { StoreService, StoreStatus } from "../Sink.ts";
import { type Broker, infoOf, promise, streamOf, subjectOf } from "./connection.ts";
import { KEYS } from "./log.ts";
import { headOf } from "./page.ts";

/** The store over a broker. Rejected rows travel in their pages, to the store of each consumer. */
export const storeOf = (broker: Broker): StoreService => ({
  status: promise("status", async () => {
    const found = await Promise.all(KEYS.map((key) => statusOf(broker, key)));
    return found.filter((each) => each !== undefined);
  }),
  quarantine: Effect.fail(elsewhere("quarantine")),
  resolve: () => Effect.fail(elsewhere("resolve")),
});

const elsewhere = (operation: string): SinkError =>
  new SinkError({
    operation,
    kind: "incompatible",
    cause: new Error("a broker's log keeps rejected rows in its pages: ask an indexer's store"),
  });

const statusOf = async (
  broker: Broker,
  key: StoreStatus["key"],
): Promise<StoreStatus | undefined> => {
  const info = await infoOf(broker, key);
  if (info === undefined) return undefined;
  const last = await broker.jsm.streams.getMessage(streamOf(broker, key), {
    last_by_subj: subjectOf(broker, key),
  });
  const head = last === null ? undefined : headOf(last.seq, last.header);
  if (head?.checkpoint === undefined) return undefined;
  const { nextId, receivedAt, seq } = head.checkpoint;
  return {
    key,
    nextId,
    seq,
    epoch: head.epoch,
    pages: key.source === "stashes" ? Number(seq) : info.state.messages,
    rows: 0,
    items: 0,
    quarantined: 0,
    gaps: 0,
    receivedAt,
    polledAt: undefined,
    logBytes: info.state.bytes,
    oldestSeq: BigInt(info.state.first_seq),
  };
};
