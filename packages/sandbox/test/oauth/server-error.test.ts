/** Responses of the OAuth server to a failure of its own. */
import { expect, it } from "vitest";
import { fetchHandler } from "../../src/http/fetchHandler.ts";
import { build } from "../../src/StartSandbox.ts";

it("server_error in the form of the RFC, a page to people, the reason to the log [ER-08]", async () => {
  const logged: Array<string> = [];
  const { application } = await build({}, { log: (message) => void logged.push(message) });
  const broken = () => {
    throw new Error("the disk is gone");
  };
  const { authUrl } = application.config;
  const { browsers, grants } = application.service.oauth;
  Object.assign(grants, { token: broken });
  Object.assign(browsers, { sessionOf: broken });
  const fetch = fetchHandler(application);
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: "example-desktop",
    refresh_token: "anything",
  });
  const answer = await fetch(new Request(`${authUrl}/oauth/token`, { method: "POST", body }));
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([500, "no-store"]);
  expect(await answer.json()).toMatchObject({ error: "server_error" });
  const page = await fetch(new Request(`${authUrl}/my/applications`));
  expect(page.status).toBe(500);
  expect(await page.text()).toContain("Something went wrong");
  expect(logged).toEqual(["the OAuth server failed", "the OAuth server failed"]);
});
