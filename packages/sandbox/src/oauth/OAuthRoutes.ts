/** Routes of the OAuth server. */
import { HttpRouter, HttpServerResponse } from "effect/http";

/** Routes of the OAuth server. */
export const OAuthRoutes = HttpRouter.add(
  "GET",
  "/oauth/ready",
  HttpServerResponse.text("ready\n"),
);
