/**
 * A page source over `node:http` that hands the wire bytes through untouched, for tests against the
 * fault server.
 */
import * as Effect from "effect/Effect";
import { Agent, type IncomingMessage, request } from "node:http";
import { type PageSource, PageUnavailable } from "../../src/index.ts";

export const httpSource = (baseUrl: string): PageSource.PageSourceService => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    open: ({ source, realm, id }) =>
      Effect.acquireRelease(
        Effect.callback<IncomingMessage, PageUnavailable>((resume) => {
          const segment = realm === "pc" ? "" : `/${realm}`;
          const path =
            source === "stashes"
              ? `/public-stash-tabs${segment}${id === undefined ? "" : `?id=${encodeURIComponent(id)}`}`
              : `/currency-exchange${segment}${id === undefined ? "" : `/${id}`}`;
          const headers = { "accept-encoding": "gzip" };
          const sent = request(new URL(path, baseUrl), { agent, headers });
          sent.once("response", (response) => resume(Effect.succeed(response)));
          sent.once("error", (cause) =>
            resume(Effect.fail(new PageUnavailable({ reason: "connection", cause }))),
          );
          sent.end();
          return Effect.sync(() => sent.destroy());
        }),
        (response) => Effect.sync(() => response.destroy()),
        { interruptible: true },
      ).pipe(
        Effect.map((response) => ({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: response,
        })),
      ),
  };
};
