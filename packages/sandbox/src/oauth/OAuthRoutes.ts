/**
 * All routes of the OAuth server: endpoints for applications, pages for people, shortcuts for
 * tests.
 */
import * as Layer from "effect/Layer";
import { ApplicationsRoutes } from "./ApplicationsRoutes.ts";
import { OAuthControlRoutes } from "./ControlRoutes.ts";
import { PageRoutes } from "./PageRoutes.ts";
import { TokenRoutes } from "./TokenRoutes.ts";

/** All routes of the OAuth server. */
export const OAuthRoutes = Layer.mergeAll(
  TokenRoutes,
  PageRoutes,
  ApplicationsRoutes,
  OAuthControlRoutes,
);
