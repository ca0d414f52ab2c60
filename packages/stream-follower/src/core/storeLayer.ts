/** One service of a driver as the layer of everything that it is. */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { SinkError } from "../Errors.ts";
import { PageLog, type PageLogService } from "../PageLog.ts";
import { Sink, type SinkService, Store, type StoreService } from "../Sink.ts";

/** Sink, store and log of a driver. */
export const storeLayer = (
  make: Effect.Effect<SinkService & StoreService & PageLogService, SinkError, Scope.Scope>,
): Layer.Layer<Sink | Store | PageLog, SinkError> =>
  Layer.effectContext(
    Effect.map(make, (service) =>
      Context.make(Sink, service).pipe(Context.add(Store, service), Context.add(PageLog, service)),
    ),
  );
