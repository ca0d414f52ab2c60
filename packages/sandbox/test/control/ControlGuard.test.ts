import { describe, expect, it } from "@effect/vitest";
import { Headers } from "effect/http";
import { whyRefused } from "../../src/control/ControlGuard.ts";

const LOCAL = "http://127.0.0.1:4000/control";

const ask = (headers: Record<string, string>, controlUrl = LOCAL) =>
  whyRefused({ url: "/control/reset", headers: Headers.fromInput(headers) }, controlUrl);

describe("the control plane's guard", () => {
  it("lets programs on this machine through, by whatever name they call it", () => {
    for (const host of ["127.0.0.1:4000", "localhost:4000", "[::1]:4000", "sandbox.localhost"])
      expect(ask({ host })).toBeUndefined();
  });

  it("refuses a name that was rebound to this machine", () => {
    for (const host of [
      "evil.example",
      "evil.example:4000",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "10.0.0.7:4000",
    ])
      expect(ask({ host })).toContain("Host");
  });

  it("refuses a malformed host", () => {
    for (const host of ["a b", "127.0.0.1:4000/x", "user@127.0.0.1", "127.0.0.1#x"])
      expect(ask({ host })).toContain("malformed");
  });

  it("refuses web pages of other origins, also of other ports of this machine", () => {
    const host = "127.0.0.1:4000";
    for (const origin of [
      "https://evil.example",
      "http://127.0.0.1:5000",
      "http://localhost:4000",
      "null",
    ])
      expect(ask({ host, origin })).toContain("origin");
    expect(ask({ host, origin: "http://127.0.0.1:4000" })).toBeUndefined();
  });

  it("does not judge names where other machines were let in on purpose, but still origins", () => {
    const remote = "http://0.0.0.0:4000/control";
    expect(ask({ host: "build-server:4000" }, remote)).toBeUndefined();
    expect(ask({ host: "build-server:4000", origin: "https://evil.example" }, remote)).toContain(
      "origin",
    );
  });

  it("knows the address of a request without a port", () => {
    const url = "http://control.sandbox.localhost/control/reset";
    expect(
      whyRefused({ url, headers: Headers.empty }, "http://control.sandbox.localhost/control"),
    ).toBeUndefined();
    expect(
      whyRefused({ url: "http://evil.example/control", headers: Headers.empty }, LOCAL),
    ).toContain("Host");
  });
});
