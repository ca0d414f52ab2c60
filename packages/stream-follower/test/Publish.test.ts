/** A log copied into NATS JetStream, and read from there. */
import { describeWithService } from "@game-data/test-support";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { Effect, Fiber, Stream } from "effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Changes } from "../src/index.ts";
import { consume, publish } from "../src/nats/index.ts";
import type { LoggedPage } from "../src/PageLog.ts";
import { givenLog, loggedPage } from "./support/givenLog.ts";
import { startNats } from "./support/NatsServer.ts";

const KEY = { source: "stashes", realm: "pc" } as const;
const run = Effect.runPromise;

/** Ids with every kind of character that a header cannot hold. */
const idOf = (seq: number) => `${seq}\n\u00e9\u{1f600}"`;

const page = (seq: number, text = `tab ${seq}`): LoggedPage => {
  const stashes = [{ id: String(seq).padStart(64, "0"), public: true, stash: text, items: [] }];
  const nextId = idOf(seq + 1);
  const requestedId = seq === 1 ? undefined : idOf(seq);
  return loggedPage(
    { key: KEY, seq: BigInt(seq), requestedId, nextId },
    JSON.stringify({ next_change_id: nextId, stashes }),
  );
};

describeWithService("nats", "a log in JetStream", (program) => {
  let server: Awaited<ReturnType<typeof startNats>>;
  let nats: NatsConnection;
  let number = 0;
  beforeAll(async () => {
    server = await startNats(program);
    nats = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  });
  afterAll(async () => {
    await nats?.close();
    await server?.close();
  });
  const copyOf = () => {
    number += 1;
    const copy = { nats, key: KEY, stream: `COPY${number}` };
    const send = (pages: ReadonlyArray<LoggedPage>) =>
      publish({ ...copy, maxBytes: 50e6, until: "caughtUp" }).pipe(Effect.provide(givenLog(pages)));
    const receive = (after?: bigint) =>
      run(Stream.runCollect(consume({ ...copy, after, until: "caughtUp" })));
    return { copy, receive, send };
  };
  const versions = (batches: ReadonlyArray<Changes.ChangeBatch>) =>
    batches.map(({ version }) => Number(version));

  it("consume returns every published page with its rows, as the log itself does", async () => {
    const { receive, send } = copyOf();
    const pages = [1, 2, 3, 4, 5].map((seq) => page(seq));
    await run(send(pages));
    const direct = Changes.subscribe({ key: KEY, until: "caughtUp" }).pipe(
      Stream.runCollect,
      Effect.provide(givenLog(pages)),
    );
    const shown = (batches: ReadonlyArray<Changes.ChangeBatch>) =>
      batches.map(({ changes, ...batch }) => ({ ...batch, json: changes.map(({ json }) => json) }));
    expect(shown(await receive())).toEqual(shown(await run(direct)));
  });

  it("consume continues after a stored version, and publish after the last message", async () => {
    const { receive, send } = copyOf();
    const pages = Array.from({ length: 20 }, (_, index) => page(index + 1));
    await run(send(pages.slice(0, 11)));
    expect(versions(await receive(8n))).toEqual([9, 10, 11]);
    expect(versions(await receive(11n))).toEqual([]);
    await run(send(pages));
    expect(versions(await receive(11n))).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it("publish sends a page that is too large for a message in parts, and completes a page that was cut off", async () => {
    const { copy, receive, send } = copyOf();
    const pages = [page(1), page(2, "x".repeat(3_000_000)), page(3)];
    await run(send(pages));
    const whole = await receive();
    expect(whole[1]?.changes[0]?.name).toHaveLength(3_000_000);
    const { streams } = await jetstreamManager(nats);
    await streams.delete(copy.stream);
    await run(send(pages.slice(0, 1)));
    await run(Effect.scoped(cutOff(send(pages), copy.stream)));
    await run(send(pages));
    expect(versions(await receive())).toEqual([1, 2, 3]);
    expect((await receive())[1]?.changes[0]?.json).toBe(whole[1]?.changes[0]?.json);
  });

  /** Interrupts a publisher as soon as the stream has a part of page 2. */
  const cutOff = Effect.fnUntraced(function* (
    sending: Effect.Effect<void, unknown>,
    stream: string,
  ) {
    const fiber = yield* Effect.forkScoped(sending);
    const { streams } = yield* Effect.promise(() => jetstreamManager(nats));
    while ((yield* Effect.promise(() => streams.info(stream))).state.last_seq < 2)
      yield* Effect.yieldNow;
    yield* Fiber.interrupt(fiber);
  });

  it("two publishers send each page once and in order, even if the server is killed meanwhile", async () => {
    const { receive, send } = copyOf();
    const pages = Array.from({ length: 60 }, (_, index) => page(index + 1));
    const racing = Effect.all([send(pages), send(pages)], { concurrency: 2 });
    const restarting = Effect.promise(() => server.restart());
    await run(Effect.all([racing, restarting], { concurrency: 2 }));
    expect(versions(await receive())).toEqual(pages.map(({ seq }) => Number(seq)));
  });

  it("consume fails with HistoryExpired if the broker has dropped pages after the stored version", async () => {
    const { copy, receive, send } = copyOf();
    const pages = [1, 2, 3, 4, 5].map((seq) => page(seq));
    await run(send(pages));
    const { streams } = await jetstreamManager(nats);
    await streams.purge(copy.stream, { seq: 4 });
    expect(versions(await receive())).toEqual([4, 5]);
    expect(versions(await receive(4n))).toEqual([5]);
    const expired = Stream.runCollect(consume({ ...copy, after: 2n, until: "caughtUp" }));
    expect(await run(Effect.flip(expired))).toMatchObject({
      _tag: "HistoryExpired",
      position: 2n,
      first: 4n,
    });
  });

  it("publish fails with ChainBroken if the log is another log than the one that was copied", async () => {
    const { send } = copyOf();
    await run(send([1, 2].map((seq) => page(seq))));
    const other = [1, 2, 3].map((seq) => ({ ...page(seq), requestedId: `other ${seq}` }));
    expect(await run(Effect.flip(send(other)))).toMatchObject({ _tag: "ChainBroken" });
  });
});
