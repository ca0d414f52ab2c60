/** Maps the requests of HTTP clients to routes and users of the limiter. */
import type { LimiterRequest } from "./PolicyLimiter.ts";

/** Options that assign a route, a user and a priority to the requests of an HTTP client. */
export interface ClassifyOptions<Request> extends Pick<LimiterRequest, "priority" | "maxWait"> {
  /** The route of a request. Default: `routeOf`. */
  readonly route?: ((request: Request) => string) | undefined;
  /** The user on whose behalf a request is sent. Default: all requests are of one user. */
  readonly identity?: ((request: Request) => string) | undefined;
}

const ID = /^(?:\d+|[\da-f]{8}[\da-f-]{4,})$/iu;

/**
 * Returns the default route of a request: method, host and path, with `{id}` for numbers, UUIDs and
 * long hexadecimal ids.
 */
export const routeOf = (method: string, { host, pathname }: URL): string => {
  const segments = pathname.split("/").map((segment) => (ID.test(segment) ? "{id}" : segment));
  return `${method} ${host}${segments.join("/")}`;
};

export const classify = <Request>(
  { identity, maxWait, priority, route }: ClassifyOptions<Request>,
  request: Request,
  method: string,
  url: URL,
): LimiterRequest => ({
  route: route?.(request) ?? routeOf(method, url),
  identity: identity?.(request),
  priority,
  maxWait,
});
