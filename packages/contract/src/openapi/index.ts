/**
 * The interface as an OpenAPI 3.1 document, written from the table of operations.
 *
 * For tools of others; code in TypeScript is better served by the table and the records. Without
 * options it is in the specification's words. With options it describes one deployment: its realm
 * names in paths and enumerations, and its addresses. The packed package has the document as
 * `@game-data/contract/openapi.json`.
 *
 * @example
 * ```ts
 * import { openApiDocument } from "@game-data/contract/openapi";
 *
 * const { paths } = openApiDocument();
 * if (paths["/profile"]?.["get"] === undefined) throw new Error("no profile");
 * ```
 */
import { identityWords, isIdentity, realmToWire, type Words, type WordsInput } from "../Words.ts";
import { emit, type OpenApiDocument } from "./emit.ts";
import type { Examples } from "./shared.ts";

export type { OpenApiDocument } from "./emit.ts";
export type { Examples } from "./shared.ts";

/** A deployment to describe. */
export interface OpenApiOptions {
  /** Its words for realms and `livestream`. Default: the specification's. */
  readonly words?: WordsInput | undefined;
  /** Its addresses. Default: the server variables `{auth_url}` and `{base_url}`. */
  readonly servers?: { readonly authUrl: string; readonly baseUrl: string } | undefined;
  /** Responses to show, such as those of `@game-data/contract/examples`. Default: none. */
  readonly examples?: Examples | undefined;
}

/** The OpenAPI 3.1 document of the whole interface. Each call returns a document of its own. */
export const openApiDocument = ({
  examples = {},
  servers,
  words: given,
}: OpenApiOptions = {}): OpenApiDocument => {
  const document = emit(examples);
  const words = { ...identityWords, ...given };
  const worded = isIdentity(words) ? document : (inWords(document, words) as OpenApiDocument);
  return servers === undefined ? worded : atAddresses(worded, servers);
};

/** The realm words and the member `livestream` in all places of a document. */
const inWords = (value: unknown, words: Words): unknown => {
  if (typeof value === "string") return wordIn(value, words);
  if (Array.isArray(value)) return value.map((element) => inWords(element, words));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key === "livestream" ? words.livestream : wordIn(key, words),
      // The texts are for people, and the pattern of a stash id names realms.
      key === "summary" || key === "description" ? member : inWords(member, words),
    ]),
  );
};

/** A realm word, a path, the id of an operation or a pattern, with the words in it. */
const wordIn = (text: string, words: Words): string =>
  text.replaceAll(/(?<![\w-])(?:console_a|console_b|game2)(?![\w-])/gu, (word) =>
    realmToWire(word, words),
  );

/** The addresses in place of the server variables. */
const atAddresses = (
  document: OpenApiDocument,
  { authUrl, baseUrl }: { readonly authUrl: string; readonly baseUrl: string },
): OpenApiDocument => {
  const auth = authUrl.replace(/\/$/u, "");
  const { components, paths } = document;
  const oauth2 = components["securitySchemes"]!["oauth2"] as {
    readonly flows: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const flows = Object.entries(oauth2.flows).map(([name, flow]) => [
    name,
    Object.fromEntries(
      Object.entries(flow).map(([key, member]) => [
        key,
        typeof member === "string" ? auth + new URL(member).pathname : member,
      ]),
    ),
  ]);
  return {
    ...document,
    servers: [{ url: baseUrl.replace(/\/$/u, "") }],
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        item["servers"] === undefined
          ? item
          : { ...item, servers: [{ url: auth }] as unknown as Readonly<Record<string, unknown>> },
      ]),
    ),
    components: {
      ...components,
      securitySchemes: { oauth2: { ...oauth2, flows: Object.fromEntries(flows) as object } },
    },
  };
};
