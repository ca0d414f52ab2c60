/** The web sign-in behind `node:http`, Express and Connect. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SignIn } from "../web/SignIn.ts";

/** Options of `toNode`. */
export interface ToNodeOptions {
  /** Scheme and host of the application, as users see them: `https://app.example.com`. */
  readonly origin: string;
}

/** A handler of `node:http`, and a middleware of Express: `next` runs for requests of others. */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Makes the handler: `app.use(toNode(signIn, { origin }))`. No body is read, so its place among
 * body parsers does not matter. Without `next`, requests of others get a 404.
 */
export const toNode =
  (signIn: Pick<SignIn, "handle">, { origin }: ToNodeOptions): NodeHandler =>
  (incoming, outgoing, next) => {
    void serve(signIn, toRequest(incoming, origin), outgoing, next);
  };

const serve = async (
  signIn: Pick<SignIn, "handle">,
  request: Request,
  outgoing: ServerResponse,
  next: ((error?: unknown) => void) | undefined,
): Promise<void> => {
  let response: Response | undefined;
  try {
    response = await signIn.handle(request);
  } catch (error) {
    if (next === undefined) outgoing.writeHead(500).end();
    else next(error);
    return;
  }
  if (response !== undefined) await send(response, outgoing);
  else if (next === undefined) outgoing.writeHead(404).end();
  else next();
};

/** The request as the web has it, without its body. `Host` is not read. */
export const toRequest = (incoming: IncomingMessage, origin: string): Request => {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    const name = incoming.rawHeaders[at] ?? "";
    // Pseudo headers of HTTP/2 are no headers.
    if (!name.startsWith(":")) headers.append(name, incoming.rawHeaders[at + 1] ?? "");
  }
  // Express takes the mounted path away from `url`.
  const path = (incoming as { readonly originalUrl?: string }).originalUrl ?? incoming.url ?? "/";
  // Not resolved against the origin: a path of `//other` would name another host.
  return new Request(`${origin}${path.startsWith("/") ? path : "/"}`, {
    method: incoming.method ?? "GET",
    headers,
  });
};

const send = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.statusCode = response.status;
  // Joined, two cookies are none.
  const cookies = response.headers.getSetCookie();
  for (const [name, value] of response.headers)
    if (name !== "set-cookie") outgoing.setHeader(name, value);
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  outgoing.end(await response.text());
};
