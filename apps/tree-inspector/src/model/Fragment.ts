/**
 * Keeps the page's link in the URL fragment, so that the address contains the link and no server
 * receives it: `#link=PAYLOAD`. `#PAYLOAD` is read as well.
 *
 * The fragment has nothing but a payload, so that text around it, such as a query with an account's
 * name, is never part of an address that people share.
 */
import { extractPayload } from "@game-data/tree-link/url";

/**
 * Reads the payload of a fragment, with or without its `#`. Returns other text unchanged, so that
 * the page can explain the error.
 */
export const readFragment = (fragment: string): string => {
  const text = fragment.replace(/^#/u, "");
  const isPayload = /^AAAA[\w-]*(?:=|%3d){0,2}$/iu.test(text);
  const found = isPayload ? text : (new URLSearchParams(text).get("link") ?? "");
  return shareable(found) || found;
};

/** Returns the fragment for a text, without `#`; `""` if the text has no payload. */
export const writeFragment = (text: string): string => {
  const link = shareable(text);
  return link === "" ? "" : new URLSearchParams({ link }).toString();
};

/** Returns the payload in a text, or `""` if the payload does not begin like a link. */
const shareable = (text: string): string => {
  try {
    const { payload } = extractPayload(text);
    return /^AAAA[\w-]*={0,2}$/u.test(payload) ? payload : "";
  } catch {
    return "";
  }
};
