/**
 * Explains why a payload is not canonical base64url: the reason, the character at fault, and a hint
 * where the text looks like something else.
 */
import { TreeLinkError, type TreeLinkReason } from "../Errors.ts";
import { base64Url, wholeBytes } from "./Base64Url.ts";

const fail = (reason: TreeLinkReason, offset: number, field?: string, hint?: string) =>
  new TreeLinkError(reason, offset, "character", field, undefined, hint);

/** Returns the error for a payload that `toBytes` refused. `check` is that of the decoder. */
export const textError = (
  payload: string,
  check: (bytes: DataView, size: number) => void,
): TreeLinkError => {
  const end = payload.search(/[^\w-]|$/u);
  const tail = payload.slice(end);
  if (tail === "") {
    // A text that was cut off inside a byte has an impossible length or tail bits. If the bytes
    // before it are no whole link, that is what happened.
    const whole = wholeBytes(payload);
    try {
      check(base64Url.toBytes(whole, whole.length)!, (whole.length * 3) >>> 2);
    } catch (error) {
      const { field, reason } = error as TreeLinkError;
      if (reason === "truncated") return fail(reason, end, field);
    }
  } else if (tail[0] !== "=")
    return fail(
      "invalid-character",
      end,
      undefined,
      /[\s.:?]/u.test(payload) ? " Use extractPayload for it." : "",
    );
  if (end % 4 === 1) return fail("invalid-length", end - 1);
  return tail !== "" && (payload.length % 4 !== 0 || !/^==?$/u.test(tail))
    ? fail("invalid-padding", end)
    : fail("non-zero-tail-bits", end - 1);
};
