#!/usr/bin/env node
/**
 * The stash index: follows the public stash stream, indexes it, and serves search, prices and the
 * exchange as a page and an HTTP API.
 */
import { enableCompileCache } from "node:module";

// Runs before the other imports, which makes the second start twice as fast.
enableCompileCache();
const [NodeRuntime, NodeServices, { Effect, Logger }, { stashIndex }] = await Promise.all([
  import("@effect/platform-node/NodeRuntime"),
  import("@effect/platform-node/NodeServices"),
  import("effect"),
  import("./command.ts"),
]);
stashIndex.pipe(
  Effect.provide(NodeServices.layer),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain,
);
