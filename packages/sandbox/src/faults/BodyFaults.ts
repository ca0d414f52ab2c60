/**
 * Faults that change the bytes of a body, as pure functions: the transport is left in order.
 *
 * A compressed body is unpacked first, so that a fault means the same whatever encoding the client
 * accepts.
 */
import { brotliDecompressSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import type { FaultOf } from "./Fault.ts";

/** An answer as plain values. Header names are in lower case. */
export interface DecodedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * The same answer without a content coding, if it can be unpacked: another fault may have cut it.
 * Lengths are left to the sender.
 */
export const unpacked = (answer: DecodedResponse): DecodedResponse => {
  const { "content-encoding": coding, "content-length": _, ...headers } = answer.headers;
  try {
    return { ...answer, headers, body: decode(coding, answer.body) };
  } catch {
    return answer;
  }
};

const decode = (coding: string | undefined, body: Uint8Array<ArrayBuffer>) => {
  if (body.length === 0) return body;
  if (coding === "gzip") return new Uint8Array(gunzipSync(body));
  if (coding === "br") return new Uint8Array(brotliDecompressSync(body));
  if (coding === "deflate") return new Uint8Array(inflateSync(body));
  return body;
};

/** Spoils a document: what stands before the damage (`tail`) or after it (`head`) is as it was. */
export const malformed = (
  answer: DecodedResponse,
  { at = "tail" }: FaultOf<"malformedJson">,
): DecodedResponse => {
  const plain = unpacked(answer);
  const damage = encoder.encode('\u0000,"');
  const body =
    at === "head"
      ? concat(damage, plain.body)
      : concat(plain.body.subarray(0, Math.max(0, plain.body.length - 1)), damage);
  return { ...plain, body };
};

/** A gzip stream without its end, complete as far as HTTP is concerned. */
export const cutGzip = (
  answer: DecodedResponse,
  { fraction = 0.5 }: FaultOf<"gzipCut">,
): DecodedResponse => {
  const plain = unpacked(answer);
  const packed = gzipSync(plain.body);
  const length = Math.min(packed.length - 1, Math.floor(packed.length * fraction));
  return {
    ...plain,
    headers: { ...plain.headers, "content-encoding": "gzip" },
    body: new Uint8Array(packed.subarray(0, length)),
  };
};

/** What `changeId` faults need to know of the request and of those before it. */
export interface ChangeIdContext {
  readonly requested: string | undefined;
  /** Ids that were requested before this one, oldest first. */
  readonly earlier: ReadonlyArray<string>;
}

/** Replaces the `next_change_id` of a page; a body that is no page stays as it is. */
export const withChangeId = (
  answer: DecodedResponse,
  fault: FaultOf<"changeId">,
  context: ChangeIdContext,
): DecodedResponse =>
  editPage(answer, (page) => {
    const id = changeIdFor(fault, context);
    if (id === undefined) return page;
    // The exchange's ids are numbers, those of the stash stream are text.
    const isNumber = typeof page["next_change_id"] === "number";
    return { ...page, next_change_id: isNumber ? Number(id) : id };
  });

const changeIdFor = (
  { id, mode }: FaultOf<"changeId">,
  { earlier, requested }: ChangeIdContext,
): string | undefined => {
  if (mode === "set") return id;
  if (mode === "same") return requested;
  return earlier.findLast((before) => before !== requested);
};

/** Lists every change of a page twice. */
export const withDuplicates = (answer: DecodedResponse): DecodedResponse =>
  editPage(answer, (page) =>
    Object.fromEntries(
      Object.entries(page).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.flatMap((entry: unknown) => [entry, entry]) : value,
      ]),
    ),
  );

const editPage = (
  answer: DecodedResponse,
  edit: (page: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): DecodedResponse => {
  const plain = unpacked(answer);
  const page = parsePage(plain.body);
  if (page === undefined) return answer;
  return { ...plain, body: encoder.encode(JSON.stringify(edit(page))) };
};

const parsePage = (body: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const page: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof page === "object" && page !== null && "next_change_id" in page
      ? { ...page }
      : undefined;
  } catch {
    return undefined;
  }
};

const encoder = new TextEncoder();

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
};
