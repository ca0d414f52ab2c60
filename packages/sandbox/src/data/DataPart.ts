/** The data API: its world, item filters and routes, behind CORS and the translation of words. */
import type { Core } from "../Core.ts";
import { listenerOf } from "../http/Listener.ts";
import type { RequestInput, ResponseOutput } from "../http/messages.ts";
import type { Route } from "../http/Router.ts";
import { Edits } from "../world/Edits.ts";
import { WorldModel } from "../world/WorldModel.ts";
import { withDataCors } from "./cors.ts";
import { dataRoutes } from "./dataRoutes.ts";
import { filterHandlers } from "./filterHandlers.ts";
import { FilterStore } from "./FilterStore.ts";
import type { FillNulls } from "./nulls.ts";
import { worldHandlers } from "./worldHandlers.ts";

/** The part of a sandbox that answers the data API. */
export interface DataPart {
  readonly world: WorldModel;
  readonly edits: Edits;
  readonly filters: FilterStore;
  readonly routes: ReadonlyArray<Route>;
  /** `handle` behind the deployment's words in URLs and the CORS rules of the data API. */
  front(
    handle: (request: RequestInput) => ResponseOutput,
  ): (request: RequestInput) => ResponseOutput;
}

/** Builds the data API of an application. */
export const makeDataPart = (core: Core, fillNulls?: FillNulls): DataPart => {
  const { accounts, clock, config, parts, store, worldStart } = core;
  const edits = new Edits(store);
  const world = new WorldModel({
    seed: config.seed,
    worldStart,
    accounts: accounts.all,
    options: config.world,
    now: clock.now,
    edits,
  });
  const filters = new FilterStore(store, accounts, world);
  const { log, replay, words } = parts;
  const { tokenOrigins } = config;
  return {
    world,
    edits,
    filters,
    routes: dataRoutes({
      handlers: { ...worldHandlers(world, accounts), ...filterHandlers(filters, world, words) },
      recording: replay,
      fillNulls,
      words,
      log,
    }),
    front: (handle) =>
      words === undefined && tokenOrigins.length === 0
        ? handle
        : (request) => {
            if (listenerOf(request.url) !== "data") return handle(request);
            const url = words === undefined ? request.url : words.urlFromWire(request.url);
            const neutral = { ...request, url };
            return tokenOrigins.length === 0
              ? handle(neutral)
              : withDataCors(neutral, tokenOrigins, handle);
          },
  };
};
