/**
 * Where the parts of the sandbox plug in: each constant is one part's layer, and `composition` puts
 * them together.
 */
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { SandboxConfig } from "../Config.ts";
import { ControlHandlers } from "../control/ControlHandlers.ts";
import { DocsRoutes } from "../control/DocsRoutes.ts";
import { RequestPipeline } from "../http/RequestPipeline.ts";
import { DataFrontLive, DataRoutesLive, DataServicesLive } from "../data/DataApiLive.ts";
import { Faults } from "../faults/Faults.ts";
import { Journal } from "../journal/Journal.ts";
import { RateLimits } from "../rates/RateLimits.ts";

/** Services behind the data endpoints: the world, the stream, the filters. */
export const DataServices = DataServicesLive;

/** Routes of the data API: `HttpApiBuilder.layer(DataApi)` over the handlers of its groups. */
export const DataRoutes = DataRoutesLive;

/** The outermost middleware: the words of the deployment that the sandbox plays. */
export const DataFront = DataFrontLive;

/**
 * Services of rates, faults and the journal. Policies that make no sense are a defect: nothing can
 * be started with them.
 */
export const ControlServices = Layer.unwrap(
  Effect.map(SandboxConfig, ({ journal, rates }) =>
    Layer.mergeAll(RateLimits.layer(rates), Faults.layer, Journal.layer(journal)),
  ),
).pipe(Layer.orDie);

/** The global middleware: journal, faults, rates, and the guard of the control plane. */
export const ControlMiddleware = RequestPipeline;

/** Routes of the control plane and the documentation pages. */
export const ControlRoutes = Layer.mergeAll(ControlHandlers, DocsRoutes);
