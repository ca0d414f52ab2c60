/** Every data endpoint of the contract (§4.2), and what stands around them. */
import { DataApi } from "@game-data/contract";
import * as Layer from "effect/Layer";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import {
  AccountLeagueEndpoints,
  CharacterEndpoints,
  GuildStashEndpoints,
  LeagueAccountEndpoints,
  ProfileEndpoints,
  StashEndpoints,
} from "./AccountEndpoints.ts";
import { Responses, translateBodies, translateUrls } from "./Responses.ts";
import { DataCors } from "./Cors.ts";
import { FrameworkErrors } from "./frameworkErrors.ts";
import { FilterEndpoints } from "./FilterEndpoints.ts";
import { FilterStore } from "./FilterStore.ts";
import { LeagueEndpoints, MatchEndpoints } from "./LeagueEndpoints.ts";
import { Replay } from "./Replay.ts";
import { RequestErrorsLive } from "./RequestErrorsLive.ts";
import { ExchangeEndpoints, PublicStashEndpoints } from "./StreamEndpoints.ts";
import { World } from "../world/World.ts";

/** Services behind the data endpoints. */
export const DataServicesLive = FilterStore.layer.pipe(
  Layer.provideMerge(World.layer),
  Layer.merge(Responses.layer.pipe(Layer.provide(Replay.layer))),
);

/** What stands around everything else: other origins, and the deployment's words in URLs. */
export const DataFrontLive = translateUrls.pipe(Layer.provideMerge(DataCors));

const handlers = Layer.mergeAll(
  ProfileEndpoints,
  AccountLeagueEndpoints,
  CharacterEndpoints,
  StashEndpoints,
  LeagueAccountEndpoints,
  GuildStashEndpoints,
  FilterEndpoints,
  LeagueEndpoints,
  MatchEndpoints,
  PublicStashEndpoints,
  ExchangeEndpoints,
);

/** The routes of the data API and the middleware around them. */
export const DataRoutesLive = HttpApiBuilder.layer(DataApi).pipe(
  Layer.provide(handlers),
  Layer.provide(RequestErrorsLive),
  Layer.provideMerge(translateBodies),
  Layer.provideMerge(FrameworkErrors),
);
