/** A loopback receiver beside connections that send nothing. */
import { connect, type Socket } from "node:net";
import { assert } from "@effect/vitest";
import { Effect, Exit, Fiber } from "effect";
import { it } from "./it.ts";
import { browse, knock, waiting } from "./receiver.ts";

it.live(
  "the receiver closes silent connections, and not the browser of a slow exchange",
  function* () {
    const { fiber, good, redirectUri } = yield* waiting({}, "3.3 seconds");
    const port = Number(new URL(redirectUri).port);
    const closed = Array.from({ length: 8 }, (_, at) =>
      Effect.callback<void>((resume) => {
        const socket = connect(port, "127.0.0.1").resume();
        socket.on("error", () => undefined);
        socket.on("close", () => resume(Effect.void));
        if (at % 2) socket.write("GET /callback HTTP/1.1\r\nHost: 127");
      }),
    );
    const all = yield* Effect.forkChild(Effect.all(closed, { concurrency: "unbounded" }));
    yield* Effect.sleep("20 millis");
    // Longer than the three seconds that a connection may be silent.
    assert.strictEqual((yield* browse(good)).status, 303);
    assert.isTrue(Exit.isSuccess(yield* Fiber.join(fiber)));
    yield* Fiber.join(all);
  },
);

it.live("the receiver serves the callback among 64 silent connections", function* () {
  let answered = 0;
  for (let round = 0; round < 6; round++) {
    yield* Effect.gen(function* () {
      const { good, redirectUri } = yield* waiting();
      const port = Number(new URL(redirectUri).port);
      const state = { isOver: false };
      const sockets = new Set<Socket>();
      const hold = () => {
        if (state.isOver) return;
        const socket = connect(port, "127.0.0.1").resume();
        sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          sockets.delete(socket);
          setTimeout(hold, 5);
        });
      };
      for (let at = 0; at < 64; at++) hold();
      yield* Effect.sleep("30 millis");
      const answer = yield* Effect.exit(Effect.timeout(knock(good), "1 second"));
      if (Exit.isSuccess(answer) && answer.value.status === 303) answered += 1;
      state.isOver = true;
      for (const socket of sockets) socket.destroy();
      yield* Effect.ignore(knock(new URL("/callback/accepted", good).href));
    }).pipe(Effect.scoped);
  }
  assert.isAtLeast(answered, 5);
});
