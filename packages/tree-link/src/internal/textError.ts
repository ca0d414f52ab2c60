/**
 * Explains why a payload is not canonical base64url: the reason, the character at fault, and a hint
 * where the text looks like something else.
 */
import { TreeLinkError } from "../Errors.ts";
import { base64Url, wholeBytes } from "./Base64Url.ts";

/** Returns the error for a payload that `toBytes` refused. `check` is that of the decoder. */
export const textError = (
  payload: string,
  check: (bytes: DataView, size: number) => void,
): TreeLinkError => {
  const end = payload.search(/[^\w-]|$/u);
  const tail = payload.slice(end);
  const isForeign = tail !== "" && tail[0] !== "=";
  const isOdd = end % 4 === 1;
  const isPadding = tail !== "" && (payload.length % 4 !== 0 || !/^==?$/u.test(tail));
  if (!isForeign && tail === "") {
    // A text that was cut off inside a byte has an impossible length or tail bits. If the bytes
    // before it are no whole link, that is what happened.
    const whole = wholeBytes(payload);
    try {
      check(base64Url.toBytes(whole, whole.length)!, (whole.length * 3) >>> 2);
    } catch (error) {
      const { field, reason } = error as TreeLinkError;
      if (reason === "truncated") return new TreeLinkError(reason, end, "character", field);
    }
  }
  const hint =
    isForeign && /[\s.:?]/u.test(payload) ? " Use extractPayload for URLs and other text." : "";
  const [reason, offset] = isForeign
    ? (["invalid-character", end] as const)
    : isOdd
      ? (["invalid-length", end - 1] as const)
      : isPadding
        ? (["invalid-padding", end] as const)
        : (["non-zero-tail-bits", end - 1] as const);
  return new TreeLinkError(reason, offset, "character", undefined, undefined, hint);
};
