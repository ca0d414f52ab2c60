/**
 * Keeps the page's state in the URL fragment, so that a link to the page carries it and no server
 * sees it: `#link=PAYLOAD` and, while comparing, `&with=PAYLOAD`. `#PAYLOAD` is read as well.
 *
 * The fragment holds payloads alone. Text around a payload, such as a query with an account's name,
 * never gets into an address that people share.
 */
import { extractPayload } from "@game-data/tree-link/url";

/** The texts of the page. */
export interface PageState {
  readonly link: string;
  readonly with: string;
}

/** Reads a fragment, with or without its `#`. */
export const readFragment = (fragment: string): PageState => {
  const text = fragment.replace(/^#/u, "");
  if (/^AAAA[\w-]*(?:=|%3d){0,2}$/iu.test(text)) return { link: shareable(text), with: "" };
  const parameters = new URLSearchParams(text);
  const read = (name: string) => shareable(parameters.get(name) ?? "");
  return { link: read("link"), with: read("with") };
};

/** Writes a fragment without its `#`; leaves out what is no payload. */
export const writeFragment = (state: PageState): string => {
  const parameters = new URLSearchParams();
  for (const name of ["link", "with"] as const) {
    const payload = shareable(state[name]);
    if (payload !== "") parameters.set(name, payload);
  }
  return parameters.toString();
};

/** The payload in a text, or nothing: what does not begin like a link may be anything. */
const shareable = (text: string): string => {
  try {
    const { payload } = extractPayload(text);
    return /^AAAA[\w-]*={0,2}$/u.test(payload) ? payload : "";
  } catch {
    return "";
  }
};
