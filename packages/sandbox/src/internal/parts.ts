/**
 * Where the parts of the sandbox plug in: each constant is one part's layer, and `composition` puts them together.
 */
import { Layer } from "effect";

/** Services behind the data endpoints: the world, the stream, the filters. */
export const DataServices = Layer.empty;

/** Handlers of the data groups of the contract. */
export const DataGroups = Layer.empty;

/** Services of rates, faults and the journal. */
export const ControlServices = Layer.empty;

/** Global middlewares, outermost first: journal, faults, rates. */
export const ControlMiddleware = Layer.empty;

/** Routes of the control plane and the documentation pages. */
export const ControlRoutes = Layer.empty;
