/** A part that fails or dies is started again alone; one that halts ends the others in order. */
import { Clock, Deferred, Effect, Exit } from "effect";
import { expect, it } from "vitest";
import { Parts, Status, Supervisor } from "../src/index.ts";
import { KEY, valueOf } from "./support/Run.ts";

const indexer = (name: string) => Parts.part(KEY, "indexer", { name });

it("starts a part that fails or dies again after 1, 2, 4 … 60 seconds, and lets the others work", async () => {
  const seen = await valueOf(
    Effect.gen(function* () {
      const [bad, good] = [yield* indexer("bad"), yield* indexer("good")];
      const starts: Array<number> = [];
      const states: Array<string> = [];
      const failing = Effect.gen(function* () {
        starts.push(yield* Clock.currentTimeMillis);
        return yield* starts.length % 2 === 0 ? Effect.die(new Error("bug")) : Effect.fail("x");
      });
      const look = Effect.sync(() => states.push(Status.partState(bad.now, 0)));
      const working = Effect.repeat(Effect.andThen(Effect.sleep("1 second"), look), { times: 299 });
      yield* Supervisor.run([
        { cell: bad, run: () => failing, onFailure: "restart", isDaemon: true },
        { cell: good, run: () => working, onFailure: "halt" },
      ]);
      return { starts, states, end: [bad.now.ended?.isClean, good.now.ended?.isClean] };
    }),
  );
  const waits = seen.starts.slice(1).map((at, index) => (at - seen.starts[index]!) / 1000);
  expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(seen.states).toEqual(Array(300).fill("retrying"));
  expect(seen.end).toEqual([true, true]);
});

it("counts the failures at one position, and begins anew where the part has moved", async () => {
  const counts = await valueOf(
    Effect.gen(function* () {
      const cell = yield* indexer("state");
      const told: Array<number> = [];
      const program = ({ failuresHere }: Supervisor.History) =>
        Effect.suspend(() => {
          told.push(failuresHere);
          if (told.length === 4) Parts.moved(cell, 5n);
          return told.length === 7 ? Effect.void : Effect.fail("poison");
        });
      yield* Supervisor.run([{ cell, run: program, onFailure: "restart" }]);
      return told;
    }),
  );
  expect(counts).toEqual([0, 1, 2, 3, 1, 2, 3]);
});

it("ends the other parts where one halts, and tells which", async () => {
  const [exit, states, released] = await valueOf(
    Effect.gen(function* () {
      const [bad, good] = [yield* indexer("bad"), yield* indexer("good")];
      const isReleased = yield* Deferred.make<boolean>();
      const waiting = Effect.onInterrupt(Effect.never, () => Deferred.succeed(isReleased, true));
      const failing = Effect.andThen(Effect.sleep("3 seconds"), Effect.fail("no such table"));
      const ended = yield* Effect.exit(
        Supervisor.run([
          { cell: good, run: () => waiting, onFailure: "restart" },
          {
            cell: bad,
            run: () => failing,
            onFailure: (cause) => (String(cause).includes("table") ? "halt" : "restart"),
            isDaemon: true,
          },
        ]),
      );
      const all = [bad, good].map(({ now }) => Status.partState(now, 0));
      return [ended, all, yield* Deferred.await(isReleased)] as const;
    }),
  );
  expect(exit).toEqual(Exit.fail("no such table"));
  expect(states).toEqual(["halted", "stopped"]);
  expect(released).toBe(true);
});
