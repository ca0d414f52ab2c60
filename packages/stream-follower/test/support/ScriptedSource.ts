/**
 * The fault server's answers and faults without a network, for tests under a virtual clock.
 */
import { Clock, Effect } from "effect";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { PageUnavailable } from "../../src/Errors.ts";
import { type PageSourceService, shared } from "../../src/PageSource.ts";
import type { Answer, Fault, Seen } from "./FaultServer.ts";

/** A source and what it was asked, `at` in virtual milliseconds. */
export interface Scripted {
  readonly source: PageSourceService;
  readonly seen: Array<Seen>;
}

/** Behaviour of a scripted source. */
export interface Script {
  readonly answer: (seen: Seen) => Answer;
  readonly fault?: (seen: Seen) => Fault | undefined;
  readonly codings?: PageSourceService["codings"];
  /** Pieces that a body comes in. */
  readonly pieces?: number;
}

/** A source that follows a script. */
export const scripted = (script: Script): Scripted => {
  const seen: Array<Seen> = [];
  const source = shared({
    open: ({ source: stream, realm, id }) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis;
        const one: Seen = { index: seen.length, id, source: stream, realm, at, token: undefined };
        seen.push(one);
        const fault = script.fault?.(one);
        if (fault?.kind === "hang") return yield* Effect.never;
        if (fault?.kind === "reset") return yield* new PageUnavailable({ kind: "connection" });
        if (fault?.kind === "delay") yield* Effect.sleep(fault.millis);
        if (fault?.kind === "status") {
          return { status: fault.status, headers: fault.headers ?? {}, body: bodyIn([]) };
        }
        const answer = fault?.kind === "replace" ? fault.answer : script.answer(one);
        return responseOf(answer, fault, script.pieces ?? 2);
      }),
    ...(script.codings === undefined ? {} : { codings: script.codings }),
  });
  return { source, seen };
};

const responseOf = (answer: Answer, fault: Fault | undefined, pieces: number) => {
  const plain = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  const spoilt =
    fault?.kind === "malformed"
      ? fault.keepHead
        ? plain.subarray(0, Math.floor(plain.length * 0.6))
        : Buffer.from("<html></html>")
      : plain;
  const encoded = answer.headers?.["content-encoding"] !== undefined;
  const bytes = Uint8Array.from(encoded ? spoilt : gzipSync(spoilt));
  if (fault?.kind === "corruptGzip") bytes[bytes.length - 6]! ^= 0xff;
  const length = fault?.kind === "wrongLength" ? bytes.length + 10 : bytes.length;
  const size = Math.ceil(bytes.length / pieces);
  const parts = Array.from({ length: pieces }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return {
    status: answer.status ?? 200,
    headers: {
      ...(encoded ? {} : { "content-encoding": "gzip" }),
      "content-length": String(length),
      ...answer.headers,
    },
    body: bodyIn(parts, fault),
  };
};

async function* bodyIn(parts: ReadonlyArray<Uint8Array>, fault?: Fault) {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && fault?.kind === "cut") throw new Error("aborted");
    if (index > 0) await setImmediate();
    if (index > 0 && fault?.kind === "stallAfter") await new Promise(() => {});
    yield part;
  }
}
