/**
 * The page log in JetStream: fences, lost acknowledgements, expired history, large pages, leases.
 */
import { describeWithService } from "@game-data/test-support";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Effect, Stream } from "effect";
import { expect, it } from "vitest";
import { type Batch, Changes, Follower, PageLog } from "../src/index.ts";
import { connect as connectBroker, streamOf } from "../src/nats/connection.ts";
import { LeaseNats, SinkNats } from "../src/nats/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory, startFaultServer } from "./support/FaultServer.ts";
import { fold, makeHistory, random } from "./support/History.ts";
import { httpSource } from "./support/HttpSource.ts";
import { listed as stash } from "./support/Stores.ts";
import { useCleanups, useCluster } from "./support/hooks.ts";
import { startCluster } from "./support/NatsCluster.ts";
import { batchOf, commitOf, makePage } from "../src/testing/index.ts";
import { KEY, over, run, tagOf } from "./support/Run.ts";

/** Longer than a request waits for its response. */
const AWAY_MILLIS = 16_000;
const { cleanups, scoped } = useCleanups();
const onePage = (seq: bigint, rows: ReadonlyArray<unknown> = [], nextId = String(seq)): Batch =>
  batchOf(commitOf(makePage({ seq, rows, nextId })));

/** A page whose message holds the wire itself, so that no compression makes it small. */
const uncompressed = (batch: Batch, more: object = {}): Batch => {
  const [one] = batch.pages;
  const page = { ...one.page, wire: one.page.raw, encoding: "identity", ...more };
  return { ...batch, pages: [{ ...one, page }] };
};
const tagFrom = async (effect: Effect.Effect<unknown, unknown>) =>
  tagOf(await Effect.runPromiseExit(effect));

const versions = (log: PageLog.PageLogService, options: Partial<Changes.SubscribeOptions> = {}) =>
  Changes.subscribe({ key: KEY, until: "caughtUp", ...options }).pipe(
    Stream.runCollect,
    Effect.provideService(PageLog.PageLog, log),
  );

for (const nodes of [1, 3]) {
  describeWithService("nats", `a page log on ${nodes} NATS server(s)`, (program) => {
    const cluster = useCluster(program, nodes);
    const open = async () => {
      const url = cluster.nextUrl();
      const sink = () => scoped(SinkNats.make({ url, keepBytes: 200e6 }));
      return { url, sink, first: await sink() };
    };

    it("accepts one of two writers that race, 100 times", async () => {
      const { first, sink } = await open();
      const second = await sink();
      await run(first.claim(KEY, 1));
      for (let seq = 1n; seq <= 100n; seq += 1n) {
        await Promise.all([first, second].map((each) => run(each.claim(KEY, 1))));
        const exits = await Promise.all(
          [first, second].map((each, index) =>
            Effect.runPromiseExit(each.commit(onePage(seq, [stash("a", `${index}`)]), 1)),
          ),
        );
        expect(exits.map(tagOf).toSorted()).toEqual(["Fenced", undefined]);
      }
      const batches = await run(versions(first));
      expect(batches.map(({ nextId }) => nextId)).toEqual(
        Array.from({ length: 100 }, (_, index) => String(index + 1)),
      );
    });

    it("says when pages before a stored version are gone", async () => {
      const { first, sink, url } = await open();
      await run(first.claim(KEY, 1));
      // Less than a program may ask for.
      const broker = await scoped(connectBroker({ url }));
      await broker.jsm.streams.update(streamOf(broker, KEY), { max_bytes: 400_000 });
      const dice = random(9);
      // Incompressible: the broker counts what is sent.
      const large = (seq: bigint) => {
        const letters = Array.from({ length: 30_000 }, () => 48 + Math.floor(dice() * 75));
        return onePage(seq, [stash("a", String.fromCharCode(...letters))]);
      };
      for (const seq of [1n, 2n, 3n])
        await run(first.commit(onePage(seq, [stash("b", `${seq}`)]), 1));
      const after = (await run(versions(first)))[1]!.version;
      for (let seq = 4n; seq <= 40n; seq += 1n) await run(first.commit(large(seq), 1));
      expect(await tagFrom(versions(await sink(), { after }))).toBe("HistoryExpired");
      // Without a position a reader begins with the oldest page that is there.
      const kept = await run(versions(await sink()));
      expect(kept.at(-1)?.nextId).toBe("40");
      expect(kept.length).toBeLessThan(38);
      const statuses = await run(StoreUrl.statuses(await run(StoreUrl.parse(url))));
      expect(statuses).toMatchObject([{ nextId: "40", seq: 40n, epoch: 1 }]);
    });

    it("keeps a page that is larger than a message may be", async () => {
      const { first } = await open();
      await run(first.claim(KEY, 1));
      const text = "x".repeat(9_000_000);
      await run(first.commit(uncompressed(onePage(1n, [stash("a", text)])), 1));
      await run(first.commit(onePage(2n), 1));
      const [one, two] = await run(versions(first));
      expect(one?.changes[0]?.name).toBe(text);
      expect(two?.nextId).toBe("2");
      expect(await run(versions(first, { after: one!.version }))).toHaveLength(1);
    });

    it("writes each page whole, whatever was published before it", async () => {
      const { first } = await open();
      await run(first.claim(KEY, 1));
      const next = random(3);
      const sizes = [1000, 300_000, 10, 299_999, 2_000_000, 0, 310_000, 5];
      const wires = sizes.map((size) => Buffer.alloc(size));
      for (const [index, wire] of wires.entries()) {
        wire.forEach((_, at) => (wire[at] = Math.floor(next() * 256)));
        const batch = onePage(BigInt(index + 1));
        await run(first.commit(uncompressed(batch, { wire, encoding: "gzip" }), 1));
      }
      const found: Array<PageLog.LoggedPage> = [];
      while (found.length < sizes.length) {
        found.push(...(await run(first.read(KEY, found.at(-1)?.seq ?? 0n))));
      }
      expect(found.map(({ body }, index) => wires[index]!.equals(body))).toEqual(
        sizes.map(() => true),
      );
    });

    it("stops an old writer also where its page goes in parts", async () => {
      const { first, sink } = await open();
      const second = await sink();
      await run(first.claim(KEY, 1));
      await run(second.claim(KEY, 2));
      const large = uncompressed(onePage(1n, [stash("a", "x".repeat(9_000_000))]));
      expect(await tagFrom(first.commit(large, 1))).toBe("Fenced");
      // Its parts are garbage that stands before the next publish.
      expect(await tagFrom(second.commit(onePage(1n), 2))).toBe("SinkError");
      await run(second.claim(KEY, 2));
      await run(second.commit(onePage(1n), 2));
      expect((await run(versions(second))).map(({ nextId }) => nextId)).toEqual(["1"]);
    });

    it("is broken where a page continues nothing, whole where a gap is recorded", async () => {
      const { first } = await open();
      await run(first.claim(KEY, 1));
      await run(first.commit(onePage(1n), 1));
      const jumped = onePage(2n, [], "9");
      const gaps = [{ kind: "jumped", from: "1", to: "8" }] as const;
      await run(first.commit(uncompressed(jumped, { requestedId: "8", gaps }), 1));
      const whole = await run(versions(first));
      expect(whole.map(({ nextId }) => nextId)).toEqual(["1", "9"]);
      const torn = onePage(3n, [], "12");
      await run(first.commit(uncompressed(torn, { requestedId: "11" }), 1));
      expect(await tagFrom(versions(first))).toBe("ChainBroken");
      const after = whole[1]!.version;
      expect(await tagFrom(versions(first, { after }))).toBe("ChainBroken");
    });

    it("is refused where it has not the replicas, or the room, that were asked for", async () => {
      const { first, url } = await open();
      await run(first.claim(KEY, 1));
      const claim = (options: SinkNats.NatsOptions) =>
        scoped(Effect.flatMap(SinkNats.make(options), (sink) => sink.claim(KEY, 1)));
      const replicas = 4 - nodes;
      await expect(claim({ url, replicas })).rejects.toThrow(
        `it has ${nodes} replicas, not ${replicas}`,
      );
      const large = claim({ url: cluster.nextUrl(), keepBytes: 20e9 });
      await expect(large).rejects.toThrow(/20000000000 bytes.*keep less/u);
    });

    it("never starts a log again that has lost its checkpoint", async () => {
      const { first, sink, url } = await open();
      await run(first.claim(KEY, 1));
      await run(first.commit(onePage(1n), 1));
      const nc = await connect({ servers: url.slice("nats://".length).split("/")[0]!.split(",") });
      const jsm = await jetstreamManager(nc);
      const prefix = /\w+(?=\?)/u.exec(url)?.[0];
      const name = `${prefix}_stashes_pc`;
      // An operator who allowed it, and purged.
      await jsm.streams.delete(name);
      await jsm.streams.add({
        name,
        subjects: [`${prefix}.stashes.pc`, `${prefix}.stashes.pc.part`],
        allow_direct: false,
        first_seq: 3,
      });
      await nc.close();
      expect(await tagFrom((await sink()).claim(KEY, 2))).toBe("SinkError");
    });

    it("carries a history from the service to consumers of shards: nothing lost, nothing doubled", async () => {
      const history = makeHistory({ pages: 60, seed: 5, stashesPerPage: 20 });
      const server = await startFaultServer({ answer: answerHistory(history) });
      cleanups.push(() => server.close());
      const { first, url } = await open();
      const follow = Follower.run({ source: "stashes", until: "caughtUp" });
      const summary = await run(Effect.provide(follow, over(httpSource(server.url), first)));
      expect(summary.pages).toBe(60);
      const oracle = fold(history);
      const seen = new Map<string, string | null>();
      for (const mine of [new Set([0, 1, 2]), new Set([3, 4, 5, 6, 7])]) {
        const shards = { count: 8, mine };
        let batches = 0;
        // The same through an async iterator, without Effect.
        const log = SinkNats.layer({ url });
        for await (const batch of Changes.iterate(log, { key: KEY, shards, until: "caughtUp" })) {
          batches += 1;
          for (const { id, isPublic, json } of batch.changes) {
            expect(mine.has(Changes.shardOf(id, 8))).toBe(true);
            seen.set(id, isPublic ? json : null);
          }
        }
        expect(batches).toBe(60);
      }
      expect(seen).toEqual(oracle);
    });

    // One server alone refuses connections, and those are tried again.
    if (nodes === 1) return;
    it("opens a lease once a broker without majority has one again", async () => {
      const { url } = await open();
      const killed = cluster.nodes().slice(1);
      await Promise.all(killed.map(({ kill }) => kill()));
      const opening = scoped(LeaseNats.make({ url }));
      await new Promise((resolve) => setTimeout(resolve, AWAY_MILLIS));
      for (const node of killed) node.start();
      const lease = await opening;
      expect(await scoped(lease.hold(KEY))).toMatchObject({ epoch: 1 });
    });
  });
}

describeWithService("nats", "a connection to a NATS server that hangs", (program) => {
  it("is given up within ten seconds, so that another server is asked", async () => {
    const cluster = await startCluster(program);
    cleanups.push(() => cluster.close());
    const { nc } = await scoped(connectBroker({ url: cluster.urlOf("hang") }));
    cluster.nodes[0]!.signal("SIGSTOP");
    const begun = performance.now();
    for await (const { type } of nc.status()) if (type === "disconnect") break;
    expect(performance.now() - begun).toBeLessThan(10_000);
  }, 30_000);
});
