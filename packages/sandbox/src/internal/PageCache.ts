/**
 * Bodies that never change, plain and compressed, for all sandboxes of a process.
 *
 * A full page of the stream costs milliseconds to build, to write and to compress, and followers
 * ask for the same pages. The bytes of all kinds count against one bound; unused ones go first.
 * Equal requests that come while a body is compressed share the work.
 */
import type { Coding } from "../platform/Platform.ts";
import { LruCache } from "./LruCache.ts";

/** Some sixty full pages, plain and compressed: what followers that trail each other ask for. */
const MOST_BYTES = 32 * 1024 * 1024;

export class PageCache {
  readonly #bodies: LruCache<Uint8Array>;
  readonly #underWay = new Map<string, Promise<Uint8Array>>();

  constructor(mostBytes: number = MOST_BYTES) {
    this.#bodies = new LruCache<Uint8Array>(mostBytes, (bytes) => bytes.length);
  }

  plain(key: string, make: () => Uint8Array): Uint8Array {
    return this.#bodies.get(key, make);
  }

  /** The body of a key in a content coding, at once if it is known, else made once at a time. */
  coded(
    key: string,
    coding: Coding,
    make: () => Promise<Uint8Array>,
  ): Uint8Array | Promise<Uint8Array> {
    const name = `${key} ${coding}`;
    const known = this.#bodies.known(name);
    if (known !== undefined) return known;
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    const made = make()
      .then((bytes) => this.#bodies.get(name, () => bytes))
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, made);
    return made;
  }
}

/** The cache of this process. Keys begin with the name of a world. */
export const pages = new PageCache();
