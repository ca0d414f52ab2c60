/**
 * Explains why a payload is not canonical base64url: the reason, the character at fault, and a hint
 * where the text looks like something else.
 */
import { type TreeLinkFault, refusal, type TreeLinkError, type TreeLinkReason } from "../Errors.ts";
import { base64Url } from "./Base64Url.ts";

export const fail = (reason: TreeLinkReason, offset: number, field?: string, hint?: string) =>
  refusal([reason, offset, field, undefined, hint], "character");

/** Returns the error for a payload that `checkedBytes` refused. `check` is that of the decoder. */
export const textError = (
  payload: string,
  check: (bytes: DataView, size: number) => TreeLinkFault | undefined,
): TreeLinkError => {
  const end = /[\w-]*/u.exec(payload)![0].length;
  const tail = payload.slice(end);
  if (tail === "") {
    // A text that was cut off inside a byte has an impossible length or tail bits. If the bytes
    // before it are no whole link, that is what happened.
    const fault = check(base64Url.toBytes(payload, end, true)!, (end * 3) >>> 2);
    if (fault?.[0] === "truncated") return fail("truncated", end, fault[2]);
  } else if (tail[0] !== "=")
    return fail(
      "invalid-character",
      end,
      undefined,
      /[\s.:?]/u.test(payload) ? " Use extractPayload for it." : "",
    );
  if (end % 4 === 1) return fail("invalid-length", end - 1);
  return tail === "" || tail === "=".repeat(-end & 3)
    ? fail("non-zero-tail-bits", end - 1)
    : fail("invalid-padding", end);
};
