/** Requests to the control plane before its table sees them: their endpoint, and their body as JSON. */
import * as Headers from "effect/http/Headers";
import * as ServerRequest from "effect/http/HttpServerRequest";
import * as Option from "effect/Option";
import type { Incoming } from "../http/Exchange.ts";
import { depthOf, MOST_DEPTH, withoutStrings } from "../internal/depth.ts";
import { parseJson, utf8, utf8Text } from "../internal/encoding.ts";
import { ControlApi, type Rejected } from "./Api.ts";
import { refusal } from "./respond.ts";

interface Endpoint {
  readonly method: string;
  readonly path: RegExp;
  readonly takesBody: boolean;
}

const ENDPOINTS: ReadonlyArray<Endpoint> = Object.values(ControlApi.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ method, path, payload }) => ({
    method,
    path: new RegExp(`^${path.replaceAll(/:\w+/gu, "[^/]+")}$`, "u"),
    takesBody: payload.size > 0,
  })),
);

/** The endpoints of a path, one for each method. */
export const findEndpoints = (path: string): ReadonlyArray<Endpoint> =>
  ENDPOINTS.filter((endpoint) => endpoint.path.test(path));

/** What is wrong with a body before its members are looked at. */
export const checkBody = ({ takesBody }: Endpoint, body: Uint8Array): Rejected | undefined => {
  if (body.length === 0) return undefined;
  const text = utf8Text(body);
  if (text === undefined) return whole("the body is not UTF-8");
  if (depthOf(withoutStrings(text)) > MOST_DEPTH)
    return whole(`the body is nested deeper than ${MOST_DEPTH} levels`);
  const value = parseJson(text);
  if (value === undefined) return whole("the body is not JSON");
  if (takesBody) return undefined;
  const members = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const unknown = members.map((name) => ({ pointer: `/${name}`, message: "unknown member" }));
  return unknown.length === 0 ? undefined : refusal(unknown);
};

const whole = (message: string): Rejected => refusal([{ pointer: "", message }]);

/** The request as the router takes it: a body is JSON under any content type (`curl -d` names a form). */
export const requestOf = ({ body, connection, headers, method, url }: Incoming) => {
  const hasBody = method !== "GET" && method !== "DELETE";
  const request = new Request(`http://control${url}`, {
    method,
    ...(hasBody && { body: (body.length === 0 ? utf8("{}") : body) as Uint8Array<ArrayBuffer> }),
  });
  return ServerRequest.fromWeb(request).modify({
    headers: Headers.fromInput({ ...headers, "content-type": "application/json" }),
    remoteAddress: Option.some(connection.ip),
  });
};
