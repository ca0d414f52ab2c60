/**
 * A page that shows an OpenAPI document: operations by tag, parameters, bodies, schemas.
 *
 * It is HTML without a script, so that it can be read under the strictest policy, by keyboard and
 * by a screen reader, and be searched with the browser's own means.
 */
import { type Html, html, page } from "../oauth/Html.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: ReadonlyArray<unknown>;
  readonly [member: string]: unknown;
}

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly tags?: ReadonlyArray<string>;
  readonly summary?: string;
  readonly description?: string;
  readonly operationId?: string;
  readonly parameters?: ReadonlyArray<{
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }>;
  readonly requestBody?: Media;
  readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>;
  readonly responses?: Readonly<Record<string, Media & { readonly description?: string }>>;
}

/** The members of a document that the page reads. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers?: ReadonlyArray<{ readonly url: string; readonly description?: string }>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly [kind: string]: Readonly<Record<string, object>> | undefined;
  };
}

interface Entry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The page; `jsonUrl` is where the document itself is. */
export const referencePage = (document: OpenApi, jsonUrl: string): string => {
  const byTag = entriesByTag(document);
  const schemas = Object.entries(document.components?.schemas ?? {});
  const { description = "", title } = document.info;
  return page(
    title,
    html`<h1>${title}</h1>
      <p>${description} <a href="${jsonUrl}">The same as OpenAPI 3.1</a>.</p>
      <ul>
        ${(document.servers ?? []).map((server) => html`<li>${server.description ?? "Address"}: <code>${server.url}</code></li>`)}
      </ul>
      <nav class="tabs" aria-label="Groups">
        ${[...byTag.keys()].map((tag) => html`<a href="#${tag}">${tag}</a>`)}
        ${schemas.length === 0 ? undefined : html`<a href="#schemas">schemas</a>`}
      </nav>
      ${[...byTag].map(
        ([tag, entries]) =>
          html`<section id="${tag}" aria-labelledby="tag-${tag}">
            <h2 id="tag-${tag}">${tag}</h2>
            ${entries.map(operation)}
          </section>`,
      )}
      ${
        schemas.length === 0
          ? undefined
          : html`<section id="schemas" aria-labelledby="tag-schemas">
              <h2 id="tag-schemas">Schemas</h2>
              ${schemas.map(
                ([name, schema]) =>
                  html`<details id="schema-${name}">
                    <summary>${name}</summary>
                    ${source(name, schema)}
                  </details>`,
              )}
            </section>`
      }`,
    { isWide: true },
  );
};

const METHODS: ReadonlySet<string> = new Set(["get", "post", "put", "patch", "delete"]);

const entriesByTag = (document: OpenApi): ReadonlyMap<string, ReadonlyArray<Entry>> => {
  const byTag = new Map<string, Array<Entry>>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, listed] of Object.entries(operations)) {
      if (!METHODS.has(method)) continue;
      const operation = withComponents(document, listed);
      const tag = operation.tags?.[0] ?? "other";
      const id = `${method}-${path.replaceAll(/[^a-z0-9]+/giu, "-").replaceAll(/^-|-$/gu, "")}`;
      const entry = { id, method: method.toUpperCase(), path, operation };
      const entries = byTag.get(tag);
      if (entries === undefined) byTag.set(tag, [entry]);
      else entries.push(entry);
    }
  return byTag;
};

/** Parameters and responses that operations share stand in the components. */
const withComponents = ({ components }: OpenApi, operation: Operation): Operation => {
  const resolve = <A extends object>(one: A & { readonly $ref?: string }): A => {
    const [kind = "", name = ""] = one.$ref?.split("/").slice(2) ?? [];
    return (components?.[kind]?.[name] ?? one) as A;
  };
  const { parameters = [], responses = {} } = operation;
  return {
    ...operation,
    parameters: parameters.map(resolve),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, resolve(response)]),
    ),
  };
};

/** Text with code between backticks. */
const marked = (text: string): ReadonlyArray<Html> =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));

const operation = ({ id, method, operation: about, path }: Entry): Html => {
  const scopes = (about.security ?? []).flatMap((one) => Object.values(one).flat());
  const { parameters = [] } = about;
  return html`<details id="${id}">
    <summary>
      <span class="badge">${method}</span> <code>${path}</code>
      <span class="muted">${about.summary ?? about.operationId}</span>
    </summary>
    ${about.description === undefined ? undefined : html`<p>${marked(about.description)}</p>`}
    ${scopes.length === 0 ? undefined : html`<p>Scopes: ${scopes.map((scope) => html`<code>${scope}</code> `)}</p>`}
    ${
      parameters.length === 0
        ? undefined
        : html`<div
            class="scroll"
            tabindex="0"
            role="region"
            aria-label="Parameters of ${method} ${path}"
          >
            <table>
              <thead>
                <tr>
                  <th scope="col">Parameter</th>
                  <th scope="col">In</th>
                  <th scope="col">Value</th>
                  <th scope="col">About</th>
                </tr>
              </thead>
              <tbody>
                ${parameters.map(
                  (one) =>
                    html`<tr>
                      <td><code>${one.name}</code></td>
                      <td>${one.in}${one.required === true ? ", required" : ""}</td>
                      <td>${inWords(one.schema)}</td>
                      <td>${one.description ?? one.schema?.description ?? ""}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
    ${body("Body", `${method} ${path}`, about.requestBody)}
    ${Object.entries(about.responses ?? {}).map(([status, response]) =>
      body(`${status} ${response.description ?? ""}`, `${method} ${path}, ${status}`, response),
    )}
  </details>`;
};

const body = (title: string, of: string, media: Media | undefined): Html => {
  if (media === undefined) return html``;
  const [[type, { schema }] = ["", {}]] = Object.entries(media.content ?? {});
  return html`<div>
    <p>
      <strong>${title}</strong>
      ${type}${schema?.$ref === undefined ? undefined : html`: ${reference(schema.$ref)}`}
    </p>
    ${schema === undefined || schema.$ref !== undefined ? undefined : source(of, schema)}
  </div>`;
};

const reference = (ref: string): Html => {
  const name = ref.split("/").at(-1)!;
  return html`<a href="#schema-${name}">${name}</a>`;
};

const source = (name: string, schema: Schema): Html =>
  html`<pre tabindex="0" role="region" aria-label="Schema of ${name}">
${JSON.stringify(schema, undefined, 2)}</pre>`;

/** A parameter's schema in a few words. */
const inWords = (schema: Schema | undefined): string => {
  if (schema === undefined) return "";
  const { default: preset, enum: words, maximum, minimum, type = "any" } = schema;
  const range = [minimum, maximum].filter((bound) => Number(bound) < Number.MAX_SAFE_INTEGER);
  const kind = words === undefined ? type : words.join(", ");
  return [
    range.length === 0 ? kind : `${kind}, ${range.join(" to ")}`,
    ...(preset === undefined ? [] : [`default ${String(preset)}`]),
  ].join("; ");
};
