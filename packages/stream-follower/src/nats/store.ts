/** Status and quarantine of the logs of a broker. */
import * as Effect from "effect/Effect";
import type { StreamKey } from "../Model.ts";
import type { StoreService, StoreStatus } from "../Sink.ts";
import { type Broker, infoOf, promise, streamOf, subjectOf } from "./connection.ts";
import { KEYS } from "./log.ts";
import { namedRecords, openRecords, resolveRecord } from "./records.ts";
import { isPage, readHead } from "./page.ts";
import { sinkError } from "../core/attempt.ts";

/** The store over a broker. It keeps no rows: a record can be dropped, its rows are the consumers'. */
export const storeOf = (broker: Broker): StoreService => ({
  status: promise("status", async () => {
    const all = await Promise.all(KEYS.map((key) => statusOf(broker, key)));
    return all.filter((each) => each !== undefined);
  }),
  quarantine: Effect.map(
    Effect.forEach(KEYS, (key) => openRecords(broker, key)),
    (found) => found.flat(),
  ),
  resolve: (record, { markets, stashes }) =>
    stashes.length + markets.length === 0
      ? resolveRecord(broker, record)
      : Effect.fail(
          sinkError(
            "resolve",
            "incompatible",
            "a broker's log keeps no rows: drop the record, or replay it elsewhere",
          ),
        ),
});

const statusOf = async (
  broker: Broker,
  key: StoreStatus["key"],
): Promise<StoreStatus | undefined> => {
  const info = await infoOf(broker, key);
  if (info === undefined) return undefined;
  const head = await readHead(broker, key);
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
    quarantined: (await namedRecords(broker, key)).length,
    gaps: 0,
    receivedAt,
    polledAt: undefined,
    logBytes: info.state.bytes,
    oldestSeq: await oldestPage(broker, key, info.state.first_seq),
  };
};

/** The first page of a stream: claims stand before it. */
const oldestPage = async (broker: Broker, key: StreamKey, first: number) => {
  const next = { seq: first, next_by_subj: subjectOf(broker, key) };
  while (true) {
    const found = await broker.jsm.streams.getMessage(streamOf(broker, key), next);
    if (found === null) return undefined;
    if (isPage(found.header)) return BigInt(found.seq);
    next.seq = found.seq + 1;
  }
};
