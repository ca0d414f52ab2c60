import { assert, it } from "vitest";
import { ServerUnavailable, Transport } from "../src/index.ts";

it("C16: messages end with facts that can be read at a prompt", () => {
  const message = (error: Error) => /\((.*)\)$/.exec(error.message)?.[1];
  const lost = { reason: "the connection failed" };
  assert.strictEqual(message(new Transport({ ...lost, sent: true })), `${lost.reason}; sent`);
  assert.strictEqual(message(new Transport({ ...lost, sent: false })), `${lost.reason}; not sent`);
  const busy = new ServerUnavailable({ status: 503, retryAfter: 30 });
  assert.strictEqual(message(busy), "status 503; retryAfter 30");
});
