/** Scheme, host and paths come from the configuration, whatever `Host` says. */
import { assert, describe, it } from "vitest";
import { ORIGIN, useApp } from "./app.ts";

const { open } = useApp();

describe("host-header-ignored", () => {
  it("takes scheme, host and paths from the configuration", async () => {
    const { app } = await open();
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const moved = await app.handle(
      new Request("http://evil.example/auth/login?returnTo=/a%3Fb", { headers }),
    );
    assert.strictEqual(moved!.status, 303);
    const target = moved!.headers.get("location")!;
    assert.strictEqual(target, `${ORIGIN}/auth/login?moved=&returnTo=%2Fa%3Fb`);
    // A proxy that rewrites `Host` makes no loop.
    const response = await app.handle(new Request(target, { headers }));
    const location = new URL(response!.headers.get("location")!);
    assert.strictEqual(location.searchParams.get("redirect_uri"), `${ORIGIN}/callback`);
    assert.notInclude(location.href, "evil");
  });

  it("leaves other paths to the application", async () => {
    const { app } = await open();
    for (const path of ["/", "/auth", "/auth/login/", "/auth/loginx", "/callback/x", "/authlogin"])
      assert.isUndefined(await app.handle(new Request(ORIGIN + path)));
  });
});
