/**
 * Code of a query thread: runs one query after the other. Its imports do not load Effect, because a
 * query may wait for a new thread.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origin */
import { parentPort, workerData } from "node:worker_threads";
import { QUERIES } from "../search/queries.ts";
import { InvalidParameter, Reader } from "../search/Reader.ts";

/** Message to a query thread: the name of a query and its parameters. */
export interface Question {
  readonly name: keyof typeof QUERIES;
  readonly input: unknown;
}

export type Answer =
  | { readonly value: unknown }
  | { readonly parameter: string; readonly detail: string };

const reader = new Reader(workerData as string);

const answer = ({ input, name }: Question): Answer => {
  try {
    return { value: (QUERIES[name] as (reader: Reader, input: unknown) => unknown)(reader, input) };
  } catch (error) {
    if (!(error instanceof InvalidParameter)) throw error;
    return { parameter: error.parameter, detail: error.message };
  }
};

parentPort?.on("message", (question: Question) => parentPort?.postMessage(answer(question)));
parentPort?.postMessage({ value: "ready" });
