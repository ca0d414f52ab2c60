/** Responses of the OAuth server to a failure of its own. */
import { Effect, Logger } from "effect";
import { expect, it } from "vitest";
import { assemble } from "../../src/assemble.ts";
import { NOWHERE, resolveConfig } from "../../src/Options.ts";
import { fetchFunction } from "../../src/http/fetch.ts";
import { nodePlatform } from "../../src/platform/node.ts";

it("a defect of the OAuth server is answered with `server_error` or a page, and logged [ER-08]", async () => {
  const logged: Array<string> = [];
  const logger = Logger.make(({ message }) => void logged.push(String([message].flat()[0])));
  let isBroken = false;
  const platform = {
    ...nodePlatform,
    sha256: (text: string, encoding: "hex" | "base64url") => {
      if (isBroken) throw new Error("the disk is gone");
      return nodePlatform.sha256(text, encoding);
    },
  };
  const config = resolveConfig({}, NOWHERE, undefined);
  const fetch = await Effect.gen(function* () {
    const { handle } = yield* assemble({ config, platform, hasDocuments: false });
    return fetchFunction(handle, config, yield* Effect.context<never>());
  }).pipe(Effect.provide(Logger.layer([logger])), Effect.runPromise);
  isBroken = true;
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: "example-desktop",
    refresh_token: "anything",
  });
  const answer = await fetch(
    new Request(`${config.authUrl}/oauth/token`, { method: "POST", body }),
  );
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([500, "no-store"]);
  expect(await answer.json()).toMatchObject({ error: "server_error" });
  const page = await fetch(new Request(`${config.authUrl}/my/applications`));
  expect(page.status).toBe(500);
  expect(await page.text()).toContain("Something went wrong");
  expect(logged).toEqual(["the sandbox failed to answer", "the OAuth server failed"]);
});
