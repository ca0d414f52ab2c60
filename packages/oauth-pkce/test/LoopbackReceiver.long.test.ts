/** A loopback receiver beside connections that send nothing. */
import { connect } from "node:net";
import { assert } from "@effect/vitest";
import { Effect, Exit, Fiber } from "effect";
import { it } from "./it.ts";
import { browse, waiting } from "./receiver.ts";

it.live(
  "LoopbackReceiver closes silent connections, but not a browser that waits for a slow exchange",
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
