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
import type { Notes } from "@game-data/schemas/JsonSchema";
import { isIdentity, makeWords, realmToWire, type Words, type WordsInput } from "../Words.ts";
import { emit, type OpenApiDocument } from "./emit.ts";
import type { Examples, Servers } from "./shared.ts";

export type { OpenApiDocument } from "./emit.ts";
export type { Examples, Servers } from "./shared.ts";

/** A deployment to describe. */
export interface OpenApiOptions {
  /** Its words for realms and `livestream`. Default: the specification's. */
  readonly words?: WordsInput | undefined;
  /** Its addresses. Default: the server variables `{auth_url}` and `{base_url}`. */
  readonly servers?: Servers | undefined;
  /** Responses to show, such as those of `@game-data/contract/examples`. Default: none. */
  readonly examples?: Examples | undefined;
  /** Descriptions of records and members by place, such as `Item.note`. Default: none. */
  readonly notes?: Notes | undefined;
}

/** The OpenAPI 3.1 document of the whole interface. Each call returns a document of its own. */
export const openApiDocument = ({
  examples = {},
  notes,
  servers,
  words: given = {},
}: OpenApiOptions = {}): OpenApiDocument => {
  const words = makeWords(given);
  const document = emit(examples, servers, notes);
  return isIdentity(words) ? document : (inWords(document, words) as OpenApiDocument);
};

/** The texts are for people, and addresses are the deployment's own. */
const AS_THEY_ARE = new Set(["summary", "description", "servers", "flows"]);

/** The realm words and the member `livestream` in all places of a document. */
const inWords = (value: unknown, words: Words): unknown => {
  if (typeof value === "string") return wordIn(value, words);
  if (Array.isArray(value)) return value.map((element) => inWords(element, words));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key === "livestream" ? words.livestream : wordIn(key, words),
      AS_THEY_ARE.has(key) ? member : inWords(member, words),
    ]),
  );
};

/** A realm word, a path, the id of an operation or a pattern, with the words in it. */
const wordIn = (text: string, words: Words): string =>
  text.replaceAll(/(?<![\w-])(?:console_a|console_b|game2)(?![\w-])/gu, (word) =>
    realmToWire(word, words),
  );
