/** Conversions between bytes and texts, without Node's `Buffer`. */

const encoder = new TextEncoder();

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text of UTF-8 bytes, or `undefined` if they are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Parses JSON. Returns undefined if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Reads a body of up to `limit` bytes. Returns undefined, and reads no more, if it is longer. */
export const readBody = async (
  { body }: Request | Response,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  if (body === null) return new Uint8Array();
  const pieces: Array<Uint8Array<ArrayBuffer>> = [];
  let size = 0;
  // Use a reader, because not every browser can iterate over a stream.
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length;
    if (size > limit) {
      await reader.cancel();
      return undefined;
    }
    pieces.push(piece.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
};

/** Encodes bytes as base64url without padding (RFC 4648 §5). */
export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const repairing = new TextDecoder();

/** Decodes base64 (RFC 4648 §4), or returns undefined. Bytes that are not UTF-8 become U+FFFD. */
export const base64Text = (text: string): string | undefined => {
  try {
    const binary = atob(text);
    // Skip the decoding for ASCII, because nearly all client ids and secrets are ASCII.
    if (!/[^\0-\x7f]/u.test(binary)) return binary;
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
    return repairing.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Whether two texts of equal length are equal, in a time that does not depend on their content. */
export const timingSafeEqual = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++)
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
};

/** Parameters by name, and which of them are repeated. */
export interface Form {
  /** Value by name; empty values are left out. */
  readonly values: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

/** Parses a form or a query. Returns undefined if its bytes are not UTF-8. */
export const parseForm = (text: string): Form | undefined => {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const seen = new Set<string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decodeForm(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? "" : decodeForm(pair.slice(at + 1));
    if (name === undefined || value === undefined) return undefined;
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
    if (value !== "") values.set(name, value);
  }
  return { values, repeated };
};

export const decodeForm = (text: string): string | undefined => {
  if (!text.includes("%")) return text.replaceAll("+", " ");
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
};
