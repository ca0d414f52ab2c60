/** Refusals of the data API with the contract's error body (§7), and answers to unknown paths. */
import { type ErrorName, errors } from "@game-data/contract/ErrorCode";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import * as Response from "effect/http/HttpServerResponse";
import { OAuthFailure } from "../oauth/OAuthFailure.ts";
import type { Exchange } from "./Exchange.ts";
import { allowedMethods, METHODS } from "./routes.ts";

type Headers = Readonly<Record<string, string>>;

export class DataFailure extends Data.TaggedError("DataFailure")<{
  readonly reason: ErrorName;
  readonly message: string;
  readonly headers?: Headers;
  /** Default: the status of the reason. */
  readonly status?: number;
}> {
  [Respondable.symbol]() {
    const { code, status } = errors[this.reason];
    return Effect.succeed(
      Response.jsonUnsafe(
        { error: { code, message: this.message } },
        {
          status: this.status ?? status,
          headers: { "cache-control": "no-store", ...this.headers },
        },
      ),
    );
  }
}

export const dataFailure = (
  reason: ErrorName,
  message: string,
  headers: Headers = {},
): DataFailure => new DataFailure({ reason, message, headers });

/** 501: the sandbox cannot do this, here. */
export const notImplemented = (message: string): DataFailure =>
  new DataFailure({ reason: "InternalError", status: 501, message });

const TOKEN_ENDPOINT = /^\/oauth\/token(?:\/revoke|\/introspect)?$/u;
const POST_ALONE = { allow: "POST" };
const PLAIN_TEXT = "text/plain; charset=utf-8";

/**
 * Answers a path that no endpoint matches: 404, 405 with `Allow`, or 501 for a method that the sandbox
 * does not implement.
 */
export const unknownPath = Effect.fnUntraced(function* (
  { listener, method, path }: Exchange,
  controlUrl: string,
) {
  // A browser may open an address of the ready line: point to the page that there is.
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
          contentType: PLAIN_TEXT,
        });
  }
  if (!METHODS.includes(method))
    return yield* notImplemented(`The sandbox does not implement ${method}.`);
  const allow = allowedMethods(path).join(", ");
  return yield* allow === ""
    ? dataFailure("ResourceNotFound", `No such path${hint || "."}`)
    : dataFailure("MethodNotAllowed", `Method not allowed; use ${allow}.`, { allow });
});

/** Answers a request under a name that is not the sandbox's (RFC 9110 §15.5.20). */
export const misdirected = ({ listener }: Exchange, reason: string) =>
  listener === "auth"
    ? Effect.succeed(
        Response.text(`misdirected: ${reason}\n`, { status: 421, contentType: PLAIN_TEXT }),
      )
    : new DataFailure({ reason: "InvalidQuery", status: 421, message: `Misdirected: ${reason}.` })[
        Respondable.symbol
      ]();
