/**
 * Where links stand in a text: chat, forums, Markdown, BBCode, JSON, HTML. One pass from start to
 * start; what is between them is never judged, and no part is read twice.
 */
import {
  type FoundPayload,
  isLikeLink,
  payloadsOfUrl,
  toUrlAlphabet,
  unescape,
} from "./urlPayload.ts";

type FoundLink = FoundPayload & { readonly start: number; readonly end: number };

/**
 * A link starts at a scheme (also escaped, as in redirects and JSON; the first group), at a host with
 * a dot and a slash (the second), or at a version of less than 256 in base64url. Groups with names
 * would take a third of the time.
 */
const START = new RegExp(
  [
    String.raw`([Hh][Tt]{2}[Pp][Ss]?(?::\\?/\\?/|%(?:25){0,2}3[Aa](?:%(?:25){0,2}2[Ff]){2}))`,
    String.raw`((?:(?<![\w@./:-])//|(?<![\w@./-]))[A-Za-z\d][A-Za-z\d-]{0,62}(?:\.[A-Za-z\d-]{1,63}){1,9}(?::\d{1,5})?/)`,
    String.raw`(?<![\w%/+=-])AAAAB[\w-]`,
  ].join("|"),
  "gu",
);
/** What parts a list: behind a payload, or before another URL. */
const SEPARATOR = String.raw`[,;](?:https?:|(?<=/AAAA[\w-]*={0,2}[,;]))`;
/**
 * What a URL holds: all up to a separator, white space, quotes, brackets of any kind,
 * dashes, arrows, pictures, or what nobody sees.
 */
// Bounded: a separator looks back over 1 word, and each word stands before one separator.
const URL_PART = new RegExp(
  String.raw`(?:\\/|(?!${SEPARATOR})[^\s\0-\x1f\x7f"'\x60<>()[\]\\^{}|«»\u00ad\u061c` +
    String.raw`\u200b-\u201f\u2022\u202a-\u202e\u2039\u203a\u2060-\u206f\u2190-\u21ff` +
    String.raw`\u3000-\u303f\ufeff\uff00-\uffef\p{Extended_Pictographic}])*`,
  "uy",
);
const BARE = /[\w-]+(?:={1,2}|(?:%3d){1,2})?/iuy;
const LENIENT_BARE = /[\w+/-]+(?:={1,2}|(?:%3d){1,2})?/iuy;
/** What every URL with a payload has; parsing the others would take most of the time. */
const MAYBE = /AAAA(?:[\w%+/-]{6}|[\w%+/-]{4,5}=)|(?:passive|atlas)-skill-tree/u;
/** A mark that HTML writes as an entity; `&amp;` is part of a query. */
const ENTITY = /&(?:nbsp|quot|apos|[lg]t|#\d{1,6}|#x[\da-f]{1,5});/iu;
/** Punctuation and marks of emphasis behind a link. */
const BEHIND = ".,;:!?*~…";

/** The end of what `pattern` matches at a place for certain, if only nothing. */
const endOfMatch = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
};

/** Lists the links of a text in their order, and tells whether one had credentials. */
export const linksOf = (
  text: string,
  isLenient: boolean,
): { readonly links: ReadonlyArray<FoundLink>; readonly hasCredentials: boolean } => {
  const links: Array<FoundLink> = [];
  let hasCredentials = false;
  // Behind a host that led to nothing, another host is no start: it was looked at already.
  let hostsFrom = 0;
  START.lastIndex = 0;
  for (let start = START.exec(text); start !== null; start = START.exec(text)) {
    const [opening, scheme, host] = start;
    const at = start.index;
    const isBare = host === undefined && scheme === undefined;
    if (host !== undefined && at < hostsFrom) continue;
    const candidate = isBare
      ? text.slice(at, endOfMatch(isLenient ? LENIENT_BARE : BARE, text, at))
      : urlAt(text, at);
    const found = isBare
      ? barePayload(candidate, isLenient)
      : MAYBE.test(candidate)
        ? payloadsOfUrl(candidate.replaceAll("\\/", "/"), isLenient)
        : [];
    const end = at + Math.max(candidate.length, opening.length);
    hasCredentials ||= found === "not-http";
    const payloads = typeof found === "string" ? [] : found;
    for (const one of payloads) links.push({ ...one, start: at, end });
    if (payloads.length > 0 || host === undefined) START.lastIndex = end;
    else hostsFrom = end;
  }
  return { links, hasCredentials };
};

/** The URL that starts at a place, without what belongs to the text behind it. */
const urlAt = (text: string, at: number): string => {
  const whole = text.slice(at, endOfUrl(text, at));
  const inside = whole.includes("&") ? whole.split(ENTITY, 1)[0]! : whole;
  let end = at + inside.length;
  while (BEHIND.includes(text[end - 1]!)) end--;
  const url = text.slice(at, end);
  if (text[at - 1] !== "_") return url;
  // `_` around a link is emphasis, and a character of its alphabet.
  const marks = /_{1,3}$/u.exec(text.slice(Math.max(0, at - 3), at))![0];
  return url.endsWith(marks) ? url.slice(0, url.length - marks.length) : url;
};

/** The end of the characters of a URL, or the first `)` that nothing inside has opened. */
const endOfUrl = (text: string, at: number): number => {
  let end = at;
  for (let depth = 0; ; end++) {
    end = endOfMatch(URL_PART, text, end);
    if (text[end] === "(") depth++;
    else if (text[end] !== ")" || --depth < 0) return end;
  }
};

const barePayload = (candidate: string, isLenient: boolean): ReadonlyArray<FoundPayload> => {
  const payload = toUrlAlphabet(unescape(candidate), isLenient);
  return isLikeLink(payload) ? [{ payload }] : [];
};
