/** Refusals of the data API with the contract's error body (§7), and answers to unknown paths. */
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import * as Response from "effect/http/HttpServerResponse";
import { ErrorCode } from "../contract.ts";
import { OAuthFailure } from "../oauth/OAuthFailure.ts";
import type { Exchange } from "./Exchange.ts";
import { allowedMethods, METHODS } from "./routes.ts";

type Headers = Readonly<Record<string, string>>;

export class DataFailure extends Data.TaggedError("DataFailure")<{
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers: Headers;
}> {
  [Respondable.symbol]() {
    const { code, message, status } = this;
    const headers = { "cache-control": "no-store", ...this.headers };
    return Effect.succeed(Response.jsonUnsafe({ error: { code, message } }, { status, headers }));
  }
}

export const dataFailure = (
  status: number,
  code: number,
  message: string,
  headers: Headers = {},
): DataFailure => new DataFailure({ status, code, message, headers });

const TOKEN_ENDPOINT = /^\/oauth\/token(?:\/revoke|\/introspect)?$/u;
const POST_ALONE = { allow: "POST" };

/**
 * Answers a path that no endpoint matches: 404, 405 with `Allow`, or 501 for a method that the sandbox
 * does not implement.
 */
export const unknownPath = Effect.fnUntraced(function* (
  { listener, method, path }: Exchange,
  controlUrl: string,
) {
  // Who opens an address of the ready line in a browser is told where there is a page.
  const hint = path === "/" ? `; the console is at ${new URL("/", controlUrl).href}` : "";
  if (listener === "auth") {
    if (TOKEN_ENDPOINT.test(path) && METHODS.includes(method))
      return method === "OPTIONS"
        ? Response.empty({ status: 204, headers: POST_ALONE })
        : yield* new OAuthFailure({ reason: "MethodNotAllowed", headers: POST_ALONE });
    return path === "/oauth/authorize" && method === "POST"
      ? Response.empty({ status: 405, headers: { allow: "GET" } })
      : Response.text(`no such path on the auth address${hint}\n`, {
          status: 404,
          contentType: "text/plain; charset=utf-8",
        });
  }
  if (!METHODS.includes(method))
    return yield* dataFailure(
      501,
      ErrorCode.InternalError,
      `The sandbox does not implement ${method}.`,
    );
  const allow = allowedMethods(path).join(", ");
  return yield* allow === ""
    ? dataFailure(404, ErrorCode.ResourceNotFound, `No such path${hint || "."}`)
    : dataFailure(405, ErrorCode.MethodNotAllowed, `Method not allowed; use ${allow}.`, { allow });
});

/** Answers a request under a name that is not the sandbox's (RFC 9110 §15.5.20). */
export const misdirected = ({ listener }: Exchange, reason: string) =>
  listener === "auth"
    ? Effect.succeed(
        Response.text(`misdirected: ${reason}\n`, {
          status: 421,
          contentType: "text/plain; charset=utf-8",
        }),
      )
    : Respondable.toResponse(dataFailure(421, ErrorCode.InvalidQuery, `Misdirected: ${reason}.`));
