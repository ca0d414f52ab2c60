/**
 * From an endpoint of the contract and its parameters to a request, and from its answer to a value.
 *
 * Paths, queries, scopes and schemas are the contract's; nothing is restated here but which member
 * of the body is the result.
 */
import {
  chooseForm,
  endpointInfo,
  formsOf,
  identityWords,
  requestToWire,
  responseFromWire,
  urlOf,
} from "@game-data/contract";
import type {
  Deployment,
  EndpointInfo,
  FamilyName,
  GroupName,
  PathParams,
  QueryOf,
  Words,
} from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Schema from "effect/Schema";
import { InvalidRequest, NotFound, ResponseMalformed, Transport } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { Answer, PreparedCall } from "./Call.ts";
import { detailsOf } from "./judge.ts";

/** Parameters of an endpoint: those of its path and those of its query in one object. */
export type RequestOf<Group extends GroupName, Name extends FamilyName<Group>> = PathParams<
  Group,
  Name
> &
  ([QueryOf<Group, Name>] extends [never] ? unknown : QueryOf<Group, Name>);

/** The service that requests go to. */
export interface Target {
  readonly baseUrl: string;
  readonly words: Words;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A token must not travel in the clear (RFC 6750 §5.3). */
export const checkAddress = (baseUrl: string): string => {
  const url = new URL(baseUrl);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    throw new TypeError(
      "The address of the data API must be HTTPS, or HTTP on a loopback address.",
    );
  }
  return baseUrl;
};

/**
 * A request for an endpoint; parameters that the endpoint does not take are refused before anything
 * is sent.
 */
export const prepare = <Group extends GroupName, Name extends FamilyName<Group>>(
  target: Target,
  group: Group,
  name: Name,
  request: RequestOf<Group, Name>,
  payload?: unknown,
): Effect.Effect<PreparedCall, InvalidRequest> =>
  Effect.suspend(() => {
    const operation = `${group}.${name}`;
    const { method, path } = endpointInfo(group, name as never);
    try {
      const { params, query } = split(group, name, request as Record<string, unknown>);
      const info = chooseForm(group, name, params);
      const url = untypedUrlOf(
        { authUrl: target.baseUrl, baseUrl: target.baseUrl, words: target.words },
        group,
        name,
        params,
        info.endpoint.query === undefined ? undefined : query,
      );
      const { realm } = request as { readonly realm?: string };
      const prepared: PreparedCall = {
        operation,
        info,
        url,
        limitRoute: limitRouteOf(`${method} ${path}`, realm),
        ...(payload !== undefined && { body: encodeBody(info, payload, target.words) }),
      };
      return Effect.succeed(prepared);
    } catch (error) {
      return Effect.fail(
        new InvalidRequest({
          operation,
          route: `${method} ${path}`,
          attempts: 0,
          detail: error instanceof Error ? error.message : String(error),
        }),
      );
    }
  });

/** What belongs to one rate-limit policy: the two games have policies of their own. */
export const limitRouteOf = (route: string, realm: string | undefined): string =>
  realm === "game2" ? `${route} game2` : route;

/** Parameters come apart by name, which the types cannot follow; the schemas check them. */
const untypedUrlOf = urlOf as (
  deployment: Deployment,
  group: GroupName,
  name: string,
  params: object,
  query?: object,
) => string;

const split = <Group extends GroupName>(
  group: Group,
  name: FamilyName<Group>,
  request: Readonly<Record<string, unknown>>,
) => {
  const inPath = new Set(
    formsOf(group, name).flatMap((form) =>
      form.segments.flatMap((segment) => (segment.kind === "literal" ? [] : [segment.name])),
    ),
  );
  const params: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(request)) {
    if (value === undefined) continue;
    if (inPath.has(key)) params[key] = value;
    else query[key] = value;
  }
  return { params, query };
};

const encodeBody = (info: EndpointInfo, payload: unknown, words: Words): string => {
  const schema = [...info.endpoint.payload.values()].flatMap((entry) => entry.schemas)[0];
  const encoded = schema
    ? Schema.encodeUnknownSync(schema as Schema.Codec<unknown>)(payload)
    : payload;
  return JSON.stringify(requestToWire(info, encoded, words));
};

/** The body of an answer as its schema has it. */
export const decodeBody = <A>(
  schema: Schema.Codec<A>,
  info: EndpointInfo,
  words: Words,
): ((answer: Answer) => Effect.Effect<A, GameApiError>) => {
  const decode = Schema.decodeUnknownExit(schema);
  return (answer) =>
    Effect.flatMap(answer.text, (text) => {
      const json = parse(text);
      const { status } = answer.info;
      // An absent thing may come as null with 404; any other 404 is one.
      if (status === 404 && !decodes(decode, json)) {
        return Effect.fail(new NotFound({ ...answer.about, status, ...detailsOf(text) }));
      }
      if (json === undefined) return Effect.fail(notJson(answer.about, status, text));
      const body = words === identityWords ? json : responseFromWire(info, json, words);
      const exit = decode(body);
      if (Exit.isSuccess(exit)) return Effect.succeed(exit.value);
      const error = Exit.findError(exit);
      return Effect.fail(
        new ResponseMalformed({
          ...answer.about,
          status,
          issue: error._tag === "Success" ? error.success.message : "undecodable",
        }),
      );
    });
};

const decodes = (decode: (body: unknown) => Exit.Exit<unknown, unknown>, body: unknown) =>
  Exit.isSuccess(decode(body));

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** A cut-off document is the connection's fault and worth a retry; garbage is not. */
const notJson = (about: CallInfo, status: number, text: string): GameApiError => {
  const body = text.trim();
  const isCut = body.startsWith("{") && !body.endsWith("}");
  return isCut || body === ""
    ? new Transport({
        ...about,
        status,
        phase: "body",
        detail: body === "" ? "empty" : `cut off after ${text.length} characters`,
      })
    : new ResponseMalformed({ ...about, status, issue: "not JSON" });
};
