/**
 * The two ends of a recording's row: reads an answer that passed through, by the contract, in
 * neutral words and redacted, and writes it with its line of the manifest.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { replaceFileWith } from "@game-data/contract/node/replaceFile";
import { type RouteName, ROUTES } from "../contract.ts";
import { formsOf } from "../data/dataRoutes.ts";
import { decodeParameters, type Parameters } from "../data/parameters.ts";
import type { WordsTranslation } from "../data/words.ts";
import { pathOf } from "../http/messages.ts";
import { depthOf, MOST_DEPTH, withoutStrings } from "../internal/depth.ts";
import { parseJson } from "../internal/encoding.ts";
import { Router } from "../http/Router.ts";
import { type Answer, MANIFEST, MANIFEST_VERSION } from "./Manifest.ts";
import { Redaction } from "./Redaction.ts";

interface Found {
  readonly endpoint: RouteName;
  readonly parameters: Parameters;
  readonly value: unknown;
  readonly replaced: number;
}

interface NotWritten {
  readonly endpoint: RouteName;
  readonly reason: string;
}

interface ReaderOptions {
  readonly isRedacted?: boolean | undefined;
  readonly words?: WordsTranslation | undefined;
}

/** The `GET` routes of the data API in all their forms. */
const ROUTES_OF_DATA = (Object.keys(ROUTES) as ReadonlyArray<RouteName>).flatMap((name) => {
  const { method } = ROUTES[name];
  return method === "GET"
    ? formsOf(name, ROUTES[name]).map((template) => ({ method, template, name }))
    : [];
});

/** Makes what reads an answer by the contract, in neutral words and redacted. */
export const makeReader = ({ isRedacted = true, words }: ReaderOptions) => {
  const redaction = new Redaction();
  const router = new Router(ROUTES_OF_DATA);
  return (url: string, body: Uint8Array): Found | NotWritten | undefined => {
    const neutral = words === undefined ? url : words.urlFromWire(url);
    const match = router.find("GET", pathOf(neutral));
    if (match === undefined) return undefined;
    const { name: endpoint } = match.route;
    const decoded = decodeParameters(ROUTES[endpoint], match.params, neutral);
    if ("problem" in decoded) return { endpoint, reason: decoded.problem };
    const parsed = parse(new TextDecoder().decode(body));
    if ("reason" in parsed) return { endpoint, reason: parsed.reason };
    const value =
      words === undefined ? parsed.value : words.responseFromWire(endpoint, parsed.value);
    const parameters = { ...decoded.params, ...decoded.query };
    if (!isRedacted) return { endpoint, parameters, value, replaced: 0 };
    const redacted = redaction.body(endpoint, value);
    if ("reason" in redacted) return { endpoint, reason: redacted.reason };
    return { endpoint, parameters: redaction.parameters(parameters), ...redacted };
  };
};

/** Digits outside of strings that JavaScript's numbers cannot hold. */
const LARGE_NUMBER = /(?:^|[[,:\s])-?\d{16,}/u;
const parse = (text: string): { readonly value: unknown } | { readonly reason: string } => {
  const bare = withoutStrings(text);
  if (LARGE_NUMBER.test(bare)) return { reason: "it holds a number that would lose digits" };
  if (depthOf(bare) > MOST_DEPTH)
    return { reason: `it is nested deeper than ${MOST_DEPTH} levels` };
  const value = parseJson(text);
  return value === undefined ? { reason: "it is no JSON" } : { value };
};

export const manifestOf = (answers: ReadonlyArray<Answer>): string =>
  `${JSON.stringify({ version: MANIFEST_VERSION, answers }, undefined, 1)}\n`;

/** Makes what writes an answer and its line of the manifest. It returns the file's name. */
export const makeWriter = (folder: string) => {
  const answers: Array<Answer> = [];
  return ({ endpoint, parameters, value }: Found): string => {
    const file = `${String(answers.length + 1).padStart(5, "0")}-${endpoint}.json`;
    const text = JSON.stringify(value);
    replaceFileWith(join(folder, file), text);
    answers.push({
      file,
      endpoint,
      status: 200,
      sha256: createHash("sha256").update(text).digest("hex"),
      at: new Date().toISOString(),
      parameters: parameters as Answer["parameters"],
    });
    replaceFileWith(join(folder, MANIFEST), manifestOf(answers));
    return file;
  };
};
