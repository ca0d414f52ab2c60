/** Refusals of the data API with the contract's error body (§7), and answers to unknown paths. */
import { type ErrorName, errors } from "@game-data/contract/ErrorCode";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import * as Response from "effect/http/HttpServerResponse";
import type { Exchange, Listener } from "./Exchange.ts";
import { allowedMethods, METHODS } from "./routes.ts";

type Headers = Readonly<Record<string, string>>;

export class DataFailure extends Data.TaggedError("DataFailure")<{
  readonly reason: ErrorName;
  readonly message: string;
  readonly headers?: Headers;
  /** Default: the status of the reason. */
  readonly status?: number;
}> {
  get response(): Response.HttpServerResponse {
    const { code, status } = errors[this.reason];
    return Response.jsonUnsafe(
      { error: { code, message: this.message } },
      { status: this.status ?? status, headers: { "cache-control": "no-store", ...this.headers } },
    );
  }

  [Respondable.symbol]() {
    return Effect.succeed(this.response);
  }
}

export const dataFailure = (
  reason: ErrorName,
  message: string,
  headers: Headers = {},
): DataFailure => new DataFailure({ reason, message, headers });

/** Refuses with 501 a request that the sandbox cannot serve here. */
export const notImplemented = (message: string): DataFailure =>
  new DataFailure({ reason: "InternalError", status: 501, message });

const PLAIN_TEXT = "text/plain; charset=utf-8";

/** Returns the end of a 404 message at `/`, because a user may open a printed URL in a browser. */
const consoleHint = (path: string, controlUrl: string): string =>
  path === "/" ? `; the console is at ${new URL("/", controlUrl).href}` : "";

/** Refuses a path of the data API: 404, 405 with `Allow`, or 501 for a method of no endpoint. */
export const unknownDataPath = ({ method, path }: Exchange, controlUrl: string): DataFailure => {
  if (!METHODS.includes(method)) return notImplemented(`The sandbox does not implement ${method}.`);
  const allow = allowedMethods(path).join(", ");
  return allow === ""
    ? dataFailure("ResourceNotFound", `No such path${consoleHint(path, controlUrl) || "."}`)
    : dataFailure("MethodNotAllowed", `Method not allowed; use ${allow}.`, { allow });
};

/** Refuses a path of the OAuth server that has no page. */
export const unknownAuthPath = ({ method, path }: Exchange, controlUrl: string) =>
  path === "/oauth/authorize" && method === "POST"
    ? Response.empty({ status: 405, headers: { allow: "GET" } })
    : Response.text(`no such path on the auth address${consoleHint(path, controlUrl)}\n`, {
        status: 404,
        contentType: PLAIN_TEXT,
      });

/** Refuses a request under a foreign host name with 421 (RFC 9110 §15.5.20). */
export const misdirected = ({ listener }: Exchange, reason: string) =>
  listener === "auth"
    ? Response.text(`misdirected: ${reason}\n`, { status: 421, contentType: PLAIN_TEXT })
    : new DataFailure({ reason: "InvalidQuery", status: 421, message: `Misdirected: ${reason}.` })
        .response;

export const tooLarge = (listener: Listener, limit: number): string =>
  refusedBody(listener, 10, `The body is too large: at most ${limit} bytes are read.`);

/** Formats the body of a refusal in the form of its listener (§7, RFC 6749 §5.2). */
export const refusedBody = (listener: Listener, code: number, message: string): string =>
  JSON.stringify(
    listener === "auth"
      ? { error: "invalid_request", error_description: message }
      : { reason: message, error: { code, message } },
  );
