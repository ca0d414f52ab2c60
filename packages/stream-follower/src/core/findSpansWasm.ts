/**
 * Finds the spans of a page by a small WebAssembly module, 64 bytes at a time. It is an optional
 * accelerator of `walk` in `findSpans.ts` and gives exactly its answer, or none.
 *
 * The module's source is `findSpans.wat`; `scripts/buildScanner.ts` makes `findSpansModule.ts` from
 * it, and `FindSpans.test.ts` makes it again. The page is copied in pieces of 64 KiB into memory
 * that is as large for any page: a piece is read where it still lies in the processor's cache.
 */
import type { Span, Spans } from "./findSpans.ts";
import { MODULE } from "./findSpansModule.ts";

/** Exports of the module, as its source describes them. */
interface Scanner {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly begin: () => void;
  readonly scan: (length: number, base: number) => number;
  readonly end: () => number;
}

/** Addresses of the piece and of the spans in the module's memory. */
const PIECE = 1088;
const PIECE_BYTES = 65_536;
const SPANS = PIECE + PIECE_BYTES;
const SPAN_BYTES = 16;
const BLOCK_BYTES = 64;
const SPACE = 0x20;
/** Answers of `scan`. */
const NO_PAGE = 1;
const UNDECIDED = 2;

/**
 * The spans, or `walkDecides` where the module is not to be had (no WebAssembly, no SIMD in it, or
 * a policy against it), and for pages beyond its bounds: more than 1,024 levels or 20,412 spans, a
 * backslash outside of strings, or a control character in one.
 */
export const findSpansWasm = (bytes: Uint8Array): Spans | "walkDecides" => {
  scanner ??= instantiate() ?? "none";
  return scanner === "none" ? "walkDecides" : find(scanner, bytes);
};

let scanner: Scanner | "none" | undefined;

const instantiate = (): Scanner | undefined => {
  // The types of the platform are those of browsers, which this package does without.
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi };
  try {
    const module = new WebAssembly.Module(Buffer.from(MODULE, "base64"));
    return new WebAssembly.Instance(module).exports;
  } catch {
    return undefined;
  }
};

interface WebAssemblyApi {
  readonly Module: new (binary: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Scanner };
}

const find = ({ begin, end, memory, scan }: Scanner, bytes: Uint8Array): Spans | "walkDecides" => {
  const window = new Uint8Array(memory.buffer, PIECE, PIECE_BYTES);
  begin();
  for (let base = 0; base < bytes.length; base += PIECE_BYTES) {
    const piece = bytes.subarray(base, base + PIECE_BYTES);
    const padded = Math.ceil(piece.length / BLOCK_BYTES) * BLOCK_BYTES;
    window.set(piece);
    window.fill(SPACE, piece.length, padded);
    const outcome = scan(padded, base);
    if (outcome === NO_PAGE) return undefined;
    if (outcome === UNDECIDED) return "walkDecides";
  }
  const count = end();
  return count < 0 ? undefined : readSpans(memory, count);
};

const readSpans = ({ buffer }: Scanner["memory"], count: number): ReadonlyArray<Span> => {
  const view = new DataView(buffer, SPANS, count * SPAN_BYTES);
  return Array.from({ length: count }, (_, index) => {
    const at = index * SPAN_BYTES;
    return {
      level: view.getUint32(at, true),
      from: view.getUint32(at + 4, true),
      to: view.getUint32(at + 8, true),
      number: view.getUint32(at + 12, true),
    };
  });
};
