/** Responses of the OAuth server to a failure of its own. */
import { assert, it } from "@effect/vitest";
import { Sandbox } from "@game-data/sandbox";
import { Effect, Logger } from "effect";

const logged: Array<unknown> = [];
const witness = Logger.layer([Logger.make(({ message }) => void logged.push(message))]);

it.live(
  "server_error in the form of the RFC, a page to people, the reason to the log [ER-08]",
  () =>
    Effect.gen(function* () {
      const { application, authUrl, fetch } = yield* Sandbox;
      const broken = () => {
        throw new Error("the disk is gone");
      };
      Object.assign(application.service.oauth.grants, { token: broken });
      Object.assign(application.service.oauth.sessions, { start: broken });
      const answer = yield* Effect.promise(() =>
        fetch(
          new Request(`${authUrl}/oauth/token`, {
            method: "POST",
            body: new URLSearchParams({
              grant_type: "refresh_token",
              client_id: "example-desktop",
              refresh_token: "anything",
            }),
          }),
        ),
      );
      assert.strictEqual(answer.status, 500);
      assert.strictEqual(answer.headers.get("cache-control"), "no-store");
      const body = (yield* Effect.promise(() => answer.json())) as { readonly error: string };
      assert.strictEqual(body.error, "server_error");
      const page = yield* Effect.promise(() => fetch(new Request(`${authUrl}/my/applications`)));
      assert.strictEqual(page.status, 500);
      assert.include(yield* Effect.promise(() => page.text()), "Something went wrong");
      assert.include(JSON.stringify(logged), "the OAuth server failed");
    }).pipe(Effect.provide(Sandbox.layerInProcess()), Effect.provide(witness)),
);
