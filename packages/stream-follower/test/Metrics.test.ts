/** What a follower counts, of a stream on which much happens. */
import { Effect, Layer, Metric } from "effect";
import { expect, it } from "vitest";
import { Follower, Lease } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import type { Answer, Seen } from "./support/FaultServer.ts";
import { over, valueOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const row = (id: string) => `{"id":"${id}","public":false}`;
const page = (next: string, ...rows: ReadonlyArray<string>) =>
  `{"next_change_id":"${next}","stashes":[${rows.join(",")}]}`;
const BODIES: Readonly<Record<string, string>> = {
  // Its head names another id than its end.
  start: page("wrong", row("x")).replace("]}", `],"next_change_id":"b"}`),
  b: page("c", row("y"), '{"id":"z"}', row("x")),
  // The end of the stream, with rows.
  e: page("e", row("y")),
};

const answer = ({ id = "start" }: Seen): Answer =>
  BODIES[id] === undefined ? { status: 404, body: "" } : { body: BODIES[id] };

it("counts pages, rows, bytes, gaps, broken rules and the time of each stage", async () => {
  const { source } = scripted({ answer, fault: () => ({ kind: "delay", millis: 300 }) });
  const inner = SinkMemory.make(SinkMemory.empty());
  const commit: typeof inner.commit = (batch, epoch) =>
    Effect.delay(inner.commit(batch, epoch), "1 second");
  const lease = Layer.succeed(Lease.Lease, {
    hold: () => Effect.succeed({ epoch: 7, lost: Effect.never }),
  });
  const found = await valueOf(
    Effect.gen(function* () {
      yield* Follower.run({
        ...{ source: "stashes", until: "caughtUp", badPageRetryDelays: [], batchPages: 2 },
        ...{ onIdRejected: { jumpTo: "e" } },
      });
      return yield* Metric.snapshot;
    }).pipe(Effect.provide(over(source, { ...inner, commit }, lease))),
  );
  const told = found.flatMap(({ attributes = {}, id, state }) => {
    const { realm, source: of, ...labels } = attributes;
    expect([of, realm]).toEqual(["stashes", "pc"]);
    const name = [id.replace("game_data_follower_", ""), ...Object.values(labels)].join(" ");
    const { count, sum, value } = state as unknown as Readonly<Record<string, number | undefined>>;
    return [[name, sum === undefined ? (count ?? value) : [count, sum]]];
  });
  const bytes = Object.values(BODIES).join("").length;
  expect(Object.fromEntries(told)).toEqual({
    ...{ pages: 3, rows: 4, bytes, wire_bytes: bytes, gaps: 1, lease_epoch: 7 },
    ...{ "page_ms fetch": [3, 900], "page_ms inflate": [3, 0], "page_ms parse": [3, 0] },
    // Of one page, and of two in one commit.
    ...{ "page_ms commit": [2, 1500], window_bytes: 0, window_pages: 0 },
    ...{ "quarantined MalformedRow": 1, "retries ChangeIdRejected  404 source": 1 },
    ...{ "violations HintMismatch": 1, "violations SameIdWithData": 1 },
  });
});
