/** Metrics and health over HTTP. */
export * as HealthServer from "./HealthServer.ts";
