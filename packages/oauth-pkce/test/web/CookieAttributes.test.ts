/** Scripts and other sites cannot read or write the cookies. */
import { assert, describe, it } from "vitest";
import { Browser, useApp, withApp } from "./app.ts";

const { open } = useApp();

describe("cookie-attributes", () => {
  it("sets __Host- cookies that scripts and other sites cannot read", async () => {
    const { browser } = await open();
    const login = await browser.visit("/auth/login");
    const callback = await new Browser(withApp((await open()).app)).signIn();
    const lines = [...login.headers.getSetCookie(), ...callback.headers.getSetCookie()];
    assert.strictEqual(lines.length, 2);
    for (const line of lines) {
      assert.match(line, /^__Host-gd_[\w-]{6}_(f_[\w-]{22}_\w+|s)=/);
      for (const attribute of ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"])
        assert.include(line.split("; "), attribute);
      assert.notInclude(line, "Domain");
    }
    assert.include(lines[0], "Max-Age=600");
    assert.match(lines[1]!, /Max-Age=(604800|60479\d)/);
  });
});
