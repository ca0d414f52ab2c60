/** The data API: its world, its item filters, its routes, and what stands in front of them. */
import type { Application } from "../Application.ts";
import { listenerOf } from "../http/Listener.ts";
import type { RequestInput, ResponseOutput } from "../http/messages.ts";
import type { Route } from "../http/Router.ts";
import { WorldModel } from "../world/WorldModel.ts";
import { withDataCors } from "./cors.ts";
import { dataRoutes } from "./dataRoutes.ts";
import { filterHandlers } from "./filterHandlers.ts";
import { FilterStore } from "./FilterStore.ts";
import { worldHandlers } from "./worldHandlers.ts";

/** The part of a sandbox that answers the data API. */
export interface DataPart {
  readonly world: WorldModel;
  readonly filters: FilterStore;
  readonly routes: ReadonlyArray<Route>;
  /** `handle` behind the deployment's words in URLs and the CORS rules of the data API. */
  front(
    handle: (request: RequestInput) => ResponseOutput,
  ): (request: RequestInput) => ResponseOutput;
}

/** Builds the data API of an application. */
export const makeDataPart = (application: Application): DataPart => {
  const { accounts, clock, config, parts, store, worldStart } = application;
  const world = new WorldModel({
    seed: config.seed,
    worldStart,
    accounts: accounts.all,
    options: config.world,
    now: clock.now,
  });
  const filters = new FilterStore(store, accounts, world);
  const { findCapture, log, words } = parts;
  const { tokenOrigins } = config;
  return {
    world,
    filters,
    routes: dataRoutes({
      handlers: { ...worldHandlers(world, accounts), ...filterHandlers(filters, world, words) },
      findCapture,
      words,
      log,
    }),
    front: (handle) => (request) => {
      const isData = listenerOf(request.url) === "data";
      const neutral =
        words === undefined || !isData
          ? request
          : { ...request, url: words.urlFromWire(request.url) };
      return tokenOrigins.length === 0 || !isData
        ? handle(neutral)
        : withDataCors(neutral, tokenOrigins, handle);
    },
  };
};
