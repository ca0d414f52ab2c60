/**
 * The page's state in the URL fragment, so that a link to the page carries it and no server ever
 * sees it: `#link=PAYLOAD` and, while comparing, `&with=PAYLOAD`.
 */

/** What the fragment carries. */
export interface FragmentState {
  readonly link: string;
  readonly with: string;
}

/** Reads a fragment, with or without its `#`. */
export const readFragment = (fragment: string): FragmentState => {
  const parameters = new URLSearchParams(fragment.replace(/^#/u, ""));
  return { link: parameters.get("link") ?? "", with: parameters.get("with") ?? "" };
};

/** Writes a fragment without its `#`; empty parts are left out. */
export const writeFragment = (state: FragmentState): string => {
  const present = Object.entries(state).filter(([, value]) => value !== "");
  return new URLSearchParams(present).toString();
};
