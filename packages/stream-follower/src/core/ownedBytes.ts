/**
 * Bytes that nobody else holds, given back to the system as soon as they are of no use: megabytes of
 * memory outside of the heap are what makes the collector run.
 *
 * Small buffers share their memory with others (a pool of Node), and what a source gave belongs to
 * the source: `own` marks what may be released, and `release` leaves everything else alone.
 */
const owned = new WeakSet<Uint8Array>();

/** Smaller ones are not worth it, and may lie in Node's pool. */
const LEAST_BYTES = 65_536;

/** Marks bytes whose whole memory was made for them. */
export const own = <A extends Uint8Array>(bytes: A): A => {
  if (bytes.byteOffset === 0 && bytes.length >= LEAST_BYTES) owned.add(bytes);
  return bytes;
};

/** Gives the memory back. Who still holds the bytes finds them empty. */
export const release = (bytes: Uint8Array): void => {
  if (owned.delete(bytes)) (bytes.buffer as ArrayBuffer).transfer(0);
};
