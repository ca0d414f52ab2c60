/**
 * Helpers for the tests of the data API: a sandbox in process whose clock stands still, tokens, and
 * short requests.
 */
import { bodySchemas } from "@game-data/contract/effect";
import { type Route, type RouteName, routes } from "@game-data/contract/routes";
import { isServiceScope, scopes as SCOPES } from "@game-data/contract/Scope";
import { createSandboxHandler, type SandboxOptions } from "@game-data/sandbox";
import * as Conformance from "@game-data/schemas/Conformance";
import { afterAll } from "vitest";
import { tour, type TourSize } from "../../scripts/worldTour.ts";
import { NOON, toolsFor } from "../control/harness.ts";

export const NOON_SECONDS = Date.parse(NOON) / 1000;

export const SERVICE_SCOPES = SCOPES.filter(isServiceScope);
export const ACCOUNT_SCOPES = SCOPES.filter((scope) => scope.startsWith("account:"));

export interface Answer<Body = any> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** Status and code of an error. */
export const refusal = ({ body, status }: Answer) => [status, body.error.code];

/** A sandbox for one test file; closed when the file is done. */
export const openData = async (options: SandboxOptions = {}) => {
  const sandbox = toolsFor(await createSandboxHandler({ now: NOON, ...options }));
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= sandbox.close());
  afterAll(close);
  await sandbox.ask("POST", "/clock", { freeze: true, set: options.now ?? NOON });

  /** A token of an account (by its place) for some scopes. */
  const token = (scopes: ReadonlyArray<string>, account = 0): Promise<string> =>
    sandbox.tokenOf("example-web", scopes, sandbox.accounts[account]!.name);
  const service = await token(SERVICE_SCOPES);
  const user = await token(ACCOUNT_SCOPES);

  const request = async (
    path: string,
    bearer: string | undefined,
    init?: RequestInit,
  ): Promise<Answer> => {
    const response = await sandbox.get(path, bearer, init);
    const { headers, status } = response;
    const text = await response.text();
    const isJson = headers.get("content-type")?.startsWith("application/json") === true;
    return { status, headers, text, body: isJson && text !== "" ? JSON.parse(text) : undefined };
  };
  const needsService = (path: string) =>
    /^\/(?:league(?:$|[/?])|pvp-match|public-stash-tabs|currency-exchange)/u.test(path);
  /** `GET` with the right token for the path. */
  const get = (path: string, bearer?: string): Promise<Answer> =>
    request(path, bearer ?? (needsService(path) ? service : user));
  /** The body of such an answer. */
  const read = async (path: string, bearer?: string) => (await get(path, bearer)).body;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, user, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { ...sandbox, close, token, service, user, request, get, read, post };
};

/** Encodes a path segment. */
export const segment = (text: string): string => encodeURIComponent(text);

/** The bodies that a walk through a sandbox meets, by path. */
export const textsOf = async ({ get }: Awaited<ReturnType<typeof openData>>, size: TourSize) => {
  const texts = new Map<string, readonly [RouteName, text: string]>();
  await tour(async (name, path) => {
    const { body, text } = await get(path);
    texts.set(path, [name, text]);
    return body;
  }, size);
  return texts;
};

/**
 * Departures from the specification, to the letter. It lists no word for the realm of game 2 in a
 * character, a league or a filter (NS-17, NS-18); the sandbox says `game2` there, and that is the
 * one thing let through.
 */
export const departures = (name: RouteName, body: any): ReadonlyArray<unknown> => {
  const { results }: Route = routes[name];
  return Conformance.report(bodySchemas[results[200]!], body).filter(
    ({ kind, member, pointer }) =>
      kind !== "unknown-word" ||
      !["Character.realm", "League.realm", "ItemFilter.realm"].includes(member) ||
      pointer
        .split("/")
        .slice(1)
        .reduce((inner, key) => inner?.[key], body) !== "game2",
  );
};
