/** The OAuth server's operations on grants, codes and tokens. */
import { Context, Effect, Layer } from "effect";

/** Issues, redeems, rotates and revokes. */
export class OAuthServer extends Context.Service<OAuthServer, {}>()(
  "@game-data/sandbox/OAuthServer",
) {
  /** The server over the store. */
  static readonly layer: Layer.Layer<OAuthServer> = Layer.effect(
    OAuthServer,
    Effect.sync(() => OAuthServer.of({})),
  );
}
