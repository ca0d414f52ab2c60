/**
 * The fault server's answers and faults without a network, for tests under a virtual clock: plain
 * text, so that no thread of zlib works while time stands still.
 */
import { Clock, Effect } from "effect";
import { setImmediate } from "node:timers/promises";
import { type PageSource, PageUnavailable } from "../../src/index.ts";
import { type Answer, type Fault, responseOf, type Seen } from "./FaultServer.ts";

/** A source and what it was asked, `at` in virtual milliseconds. */
export interface Scripted {
  readonly source: PageSource.PageSourceService;
  readonly seen: Array<Seen>;
}

export interface Script {
  readonly answer: (seen: Seen) => Answer;
  readonly fault?: (seen: Seen) => Fault | undefined;
  readonly codings?: PageSource.PageSourceService["codings"];
  readonly isZipped?: boolean;
}

export const scripted = (script: Script): Scripted => {
  const seen: Array<Seen> = [];
  const source: PageSource.PageSourceService = {
    open: ({ source: stream, realm, id }) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis;
        const one: Seen = { index: seen.length, id, source: stream, realm, at };
        seen.push(one);
        const fault = script.fault?.(one);
        if (fault?.kind === "hang") return yield* Effect.never;
        if (fault?.kind === "reset") return yield* new PageUnavailable({ reason: "connection" });
        if (fault?.kind === "delay") yield* Effect.sleep(fault.millis);
        if (fault?.kind === "status") {
          return { status: fault.status, headers: fault.headers ?? {}, body: bodyIn([]) };
        }
        const answer = fault?.kind === "replace" ? fault.answer : script.answer(one);
        const { bytes, ...head } = responseOf(
          answer,
          fault,
          script.isZipped === true || fault?.kind === "corruptGzip",
        );
        return { ...head, body: bodyIn(inHalves(bytes), fault) };
      }),
    ...(script.codings === undefined ? {} : { codings: script.codings }),
  };
  return { source, seen };
};

const inHalves = (bytes: Uint8Array) => {
  const half = Math.ceil(bytes.length / 2);
  return [bytes.subarray(0, half), bytes.subarray(half)];
};

async function* bodyIn(parts: ReadonlyArray<Uint8Array>, fault?: Fault) {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && fault?.kind === "cut") throw new Error("aborted");
    if (index > 0) await setImmediate();
    if (index > 0 && fault?.kind === "stallAfter") await new Promise(() => {});
    yield part;
  }
}
