/**
 * Bodies of requests to the data API, kept where somebody asked for them: in memory alone, few and
 * small, and never of the OAuth server, whose bodies are secrets.
 */
import { utf8 } from "../internal/encoding.ts";
import type { FaultMatch } from "../faults/Fault.ts";
import { type FaultTarget, matches } from "../faults/FaultRules.ts";

/** At most so many requests, bytes of one body, and bytes of all. */
export const MOST_BODIES = 100;
const MOST_OF_ONE = 64 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

/** A body as it was sent, before compression. */
interface KeptBody {
  readonly text: string;
  /** Bytes of the whole body. */
  readonly bytes: number;
  /** Whether only its begin is kept. */
  readonly isCut: boolean;
}

export interface KeptBodies {
  readonly request: KeptBody;
  readonly response: KeptBody;
}

/** What was asked for, and what was kept. */
export class Bodies {
  #wanted: Array<{ readonly match: FaultMatch; left: number }> = [];
  readonly #kept = new Map<number, KeptBodies>();
  #bytes = 0;

  /** Keeps the bodies of the next `count` requests that match. */
  ask(match: FaultMatch, count: number): void {
    this.#wanted.push({ match, left: count });
  }

  /** Whether anything is asked for: the ordinary case is that nothing is. */
  get isAsked(): boolean {
    return this.#wanted.length > 0;
  }

  /** Keeps the bodies of a request if they were asked for. */
  keep(id: number, target: FaultTarget, request: Uint8Array, response: string | Uint8Array): void {
    const wanted = this.#wanted.find(({ match }) => matches(match, target));
    if (wanted === undefined) return;
    wanted.left -= 1;
    this.#wanted = this.#wanted.filter(({ left }) => left > 0);
    const kept = { request: keptBody(request), response: keptBody(response) };
    this.#kept.set(id, kept);
    this.#bytes += weightOf(kept);
    for (const [oldest, bodies] of this.#kept) {
      if (this.#kept.size <= MOST_BODIES && this.#bytes <= MOST_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= weightOf(bodies);
    }
  }

  of(id: number): KeptBodies | undefined {
    return this.#kept.get(id);
  }

  clear(): void {
    this.#wanted = [];
    this.#kept.clear();
    this.#bytes = 0;
  }
}

const keptBody = (body: string | Uint8Array): KeptBody => {
  const bytes = typeof body === "string" ? utf8(body) : body;
  const isCut = bytes.length > MOST_OF_ONE;
  return {
    text: new TextDecoder().decode(bytes.subarray(0, MOST_OF_ONE)),
    bytes: bytes.length,
    isCut,
  };
};

const weightOf = ({ request, response }: KeptBodies): number =>
  request.text.length + response.text.length;
