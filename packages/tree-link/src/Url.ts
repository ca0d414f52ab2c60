/**
 * Payloads in URLs and other text: `tree-link/url`. `extractPayload` reads what people paste,
 * `findLinks` lists every link of a message or a page, `buildUrl` writes a URL.
 *
 * Looks at the shape of a URL and not at its host, because several sites use the same paths;
 * fetches nothing. Drops the query, which names accounts and characters: neither the result nor an
 * error contains it.
 *
 * ```ts
 * import { extractPayload } from "@game-data/tree-link/url";
 *
 * const text = "My build: <https://www.example.com/passive-skill-tree/AAAABgAAAAAA?accountName=x>.";
 * if (extractPayload(text).payload !== "AAAABgAAAAAA") throw new Error("the payload alone");
 * ```
 */

import { linksOf } from "./internal/findLinks.ts";
import {
  type ExtractOptions,
  hasBuildCode,
  type FoundPayload,
  payloadOfText,
  type TreeLinkUrlReason,
} from "./internal/urlPayload.ts";

export type { ExtractOptions, FoundPayload, TreeLinkUrlReason } from "./internal/urlPayload.ts";

const MESSAGES: Record<TreeLinkUrlReason, string> = {
  empty: "There is no text to read.",
  "too-long": "The text is longer than any link.",
  "build-code": "This is the code of a build planner. Export a passive-tree link there instead.",
  "not-a-url": "This is neither a payload nor a URL.",
  "not-http": "A link is an http or https URL without credentials.",
  "no-payload": "The URL has no payload in any known place.",
};

/**
 * A text contains no payload. The error holds nothing of the text.
 *
 * What to do: read `reason`. For `build-code`, export a passive-tree link from the build planner.
 */
export class TreeLinkUrlError extends Error {
  override readonly name = "TreeLinkUrlError";
  readonly _tag = "TreeLinkUrlError";
  readonly reason: TreeLinkUrlReason;

  constructor(reason: TreeLinkUrlReason) {
    super(MESSAGES[reason]);
    this.reason = reason;
  }

  /** Always `false`: the same text fails again. */
  get isRetryable(): boolean {
    return false;
  }

  /** The fields and the message. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** Options of `buildUrl`: the parts of a link before the payload. */
export interface BuildUrlOptions {
  /** Site that the link opens, such as `https://www.example.com`. */
  readonly base: string;
  /** Default: `passive`. */
  readonly tree?: "passive" | "atlas";
  /** Game version segment, such as `3.26.0`. */
  readonly gameVersion?: string;
  /** Variant segment, such as `ruthless`. */
  readonly variant?: "ruthless" | "alternate" | "ruthless-alternate";
  /** Whether the link opens the tree on the full screen. */
  readonly isFullscreen?: boolean;
}

/** A payload, and where its link stands in the text: `text.slice(start, end)`. */
export interface FoundLink extends FoundPayload {
  readonly start: number;
  readonly end: number;
}

const MAX_LENGTH = 1_050_000;

/**
 * Lists the links in a text, in their order: URLs of any known form, also without a scheme, and
 * bare payloads. Whether one is a link, `decode` says. The cost is linear in the length.
 */
export const findLinks = (text: string, options?: ExtractOptions): ReadonlyArray<FoundLink> =>
  linksOf(textOf(text), options?.lenient === true).links;

/** What is no text holds no link. */
const textOf = (text: unknown): string => (typeof text === "string" ? text : "");

/**
 * Finds the payload in `text`: a bare payload, a URL of any known form, or the first link of a text.
 * Whether it is a link, `decode` says.
 *
 * @throws TreeLinkUrlError
 */
export const extractPayload = (text: string, options?: ExtractOptions): FoundPayload => {
  const trimmed = textOf(text).trim();
  if (trimmed === "") throw new TreeLinkUrlError("empty");
  if (trimmed.length > MAX_LENGTH) throw new TreeLinkUrlError("too-long");
  const isLenient = options?.lenient === true;
  const whole = payloadOfText(trimmed, isLenient);
  if (typeof whole !== "string") return whole;
  const { hasCredentials, links } = linksOf(trimmed, isLenient);
  const [first] = links;
  if (first === undefined)
    throw new TreeLinkUrlError(
      hasCredentials ? "not-http" : hasBuildCode(trimmed) ? "build-code" : whole,
    );
  const { end: _end, start: _start, ...found } = first;
  return found;
};

/** Builds a URL that opens the tree of `payload`. */
export const buildUrl = (payload: string, options: BuildUrlOptions): string => {
  const { base, gameVersion, isFullscreen = false, tree = "passive", variant } = options;
  const page = `${isFullscreen ? "fullscreen-" : ""}${tree}-skill-tree`;
  const path = [page, gameVersion, variant, payload].filter((segment) => segment !== undefined);
  return new URL(path.join("/"), base.endsWith("/") ? base : `${base}/`).href;
};
