/**
 * The interface as an OpenAPI 3.1 document, generated from `GameDataApi`.
 *
 * For tools of others; code in TypeScript is better served by the route table and the records.
 * Without options it is `OpenApi.fromApi(GameDataApi)`, in the specification's words. With options
 * it describes one deployment: its realm names in paths and enumerations, and its addresses.
 */
import * as OpenApi from "effect/http-api/OpenApi";
import { identityWords, isIdentity, realmToWire, type Words } from "../Words.ts";
import { GameDataApi } from "./GameDataApi.ts";

/** A deployment to describe. */
export interface OpenApiOptions {
  /** Its words for realms and `livestream`. Default: the specification's. */
  readonly words?: Words | undefined;
  /** Its addresses. Default: the server variables `{auth_url}` and `{base_url}`. */
  readonly servers?: { readonly authUrl: string; readonly baseUrl: string } | undefined;
}

/** The OpenAPI 3.1 document of the whole interface. Each call returns a copy. */
export const openApiDocument = ({
  words = identityWords,
  servers,
}: OpenApiOptions = {}): OpenApi.OpenAPISpec => {
  const document = structuredClone(OpenApi.fromApi(GameDataApi));
  const worded = isIdentity(words) ? document : (inWords(document, words) as typeof document);
  return servers === undefined ? worded : atAddresses(worded, servers);
};

type Json = Readonly<Record<string, unknown>>;

/** Realm words in enumerations and in path segments, and the member `livestream`. */
const inWords = (value: unknown, words: Words): unknown => {
  if (Array.isArray(value)) return value.map((element) => inWords(element, words));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key === "enum" && Array.isArray(member))
        return [key, member.map((word: unknown) => wordOf(word, words))];
      if (key === "const") return [key, wordOf(member, words)];
      if (key === "livestream") return [words.livestream, inWords(member, words)];
      return [key.startsWith("/") ? pathIn(key, words) : key, inWords(member, words)];
    }),
  );
};

const wordOf = (word: unknown, words: Words): unknown =>
  typeof word === "string" ? realmToWire(word, words) : word;

const pathIn = (path: string, words: Words): string =>
  path
    .split("/")
    .map((segment) => realmToWire(segment, words))
    .join("/");

/** The addresses in place of the server variables. */
const atAddresses = (
  document: OpenApi.OpenAPISpec,
  { authUrl, baseUrl }: { readonly authUrl: string; readonly baseUrl: string },
): OpenApi.OpenAPISpec => {
  const auth = authUrl.replace(/\/$/u, "");
  const { paths, components, ...rest } = document as unknown as {
    readonly paths: Readonly<Record<string, Json>>;
    readonly components: Json & { readonly securitySchemes: { readonly oauth2: Json } };
  };
  const flows = Object.fromEntries(
    Object.entries(components.securitySchemes.oauth2["flows"] as Json).map(([name, flow]) => [
      name,
      Object.fromEntries(
        Object.entries(flow as Json).map(([key, member]) => [
          key,
          typeof member === "string" ? auth + new URL(member).pathname : member,
        ]),
      ),
    ]),
  );
  return {
    ...rest,
    servers: [{ url: baseUrl.replace(/\/$/u, "") }],
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        item["servers"] === undefined ? item : { ...item, servers: [{ url: auth }] },
      ]),
    ),
    components: {
      ...components,
      securitySchemes: { oauth2: { ...components.securitySchemes.oauth2, flows } },
    },
  } as unknown as OpenApi.OpenAPISpec;
};
