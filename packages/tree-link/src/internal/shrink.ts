/** Smaller inputs of a finding: shorter texts, shorter lists, smaller numbers. */
import { safeDecode } from "../Decode.ts";
import { encode, type TreeLinkInput } from "../Encode.ts";
import type { Question } from "../Vectors.ts";

/** Inputs that are smaller than `question`, the smallest first. */
export const smaller = (question: Question): ReadonlyArray<Question> => {
  if ("encode" in question) return smallerLinks(question.encode).map((link) => ({ encode: link }));
  const result = safeDecode(question.decode);
  const texts = result.ok
    ? smallerLinks(result.link).flatMap((link) => payloadOf(link))
    : smallerTexts(question.decode);
  return texts.map((decode) => ({ decode }));
};

const payloadOf = (link: unknown): ReadonlyArray<string> => {
  try {
    return [encode(link as TreeLinkInput)];
  } catch {
    return [];
  }
};

/** Pieces left out: halves, quarters and so on, down to single characters. */
const smallerTexts = (text: string): ReadonlyArray<string> => {
  const texts: Array<string> = [];
  for (let size = text.length >> 1; size > 0 && texts.length < 400; size >>= 1)
    for (let at = 0; at + size <= text.length; at += size)
      texts.push(text.slice(0, at) + text.slice(at + size));
  return texts;
};

const smallerLinks = (link: unknown): ReadonlyArray<unknown> => {
  if (typeof link !== "object" || link === null) return [];
  return Object.entries(link).flatMap(([name, value]) => {
    if (name === "version") return [];
    const values = Array.isArray(value) ? smallerLists(value) : value === 0 ? [] : [0];
    return values.map((one) => ({ ...link, [name]: one }));
  });
};

const smallerLists = (list: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  if (list.length === 0) return [];
  const half = list.length >> 1;
  return [
    [],
    ...(half > 0 ? [list.slice(half), list.slice(0, half)] : []),
    ...(list.length > 1 ? [list.slice(1), list.slice(0, -1)] : []),
    ...(list.length < 40 ? list.flatMap((_, i) => [list.toSpliced(i, 1), list.with(i, 1)]) : []),
  ];
};
