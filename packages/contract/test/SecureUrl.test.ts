import { assert, describe, it } from "@effect/vitest";
import { isLoopbackHost, isSecureUrl } from "@game-data/contract/SecureUrl";

const list = (text: string) => text.trim().split(/\s+/u);

describe("isLoopbackHost", () => {
  it.each(list("localhost LOCALHOST auth.localhost a.b-c.localhost 127.0.0.1 127.9.8.7 ::1 [::1]"))(
    "isLoopbackHost accepts %s",
    (hostname) => assert.isTrue(isLoopbackHost(hostname)),
  );

  it.each([
    "",
    ...list("localhost.example notlocalhost .localhost a..localhost 127.0.0.1.example 127.0.0"),
    ...list("128.0.0.1 ::2 [::1 0.0.0.0 localhost:80 evil.example/localhost"),
  ])("isLoopbackHost refuses %j", (hostname) => assert.isFalse(isLoopbackHost(hostname)));
});

describe("isSecureUrl", () => {
  it.each(list("https://api.example/ http://127.0.0.1:8080 http://0x7f.1/ http://[::1]:1/x"))(
    "isSecureUrl accepts %s",
    (url) => {
      assert.isTrue(isSecureUrl(url));
      assert.isTrue(isSecureUrl(new URL(url)));
    },
  );

  it.each([
    "",
    ...list("http://api.example/ http://localhost.example/ http://127.0.0.1@evil.example/"),
    ...list("ftp://localhost/ ws://localhost/ localhost https://"),
  ])("isSecureUrl refuses %j", (url) => assert.isFalse(isSecureUrl(url)));
});
