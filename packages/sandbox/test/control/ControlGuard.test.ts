import { describe, expect, it } from "@effect/vitest";
import { rejectionReason } from "../../src/control/ControlPlane.ts";

const OWN = "http://127.0.0.1:4000";

const ask = (headers: Record<string, string>) => rejectionReason(headers["origin"], OWN);

describe("the control plane's guard", () => {
  it("lets programs through, which send no Origin, and its own pages", () => {
    expect(ask({})).toBeUndefined();
    expect(ask({ origin: OWN })).toBeUndefined();
  });

  it("refuses web pages of other origins, also of other ports of this machine", () => {
    for (const origin of [
      "https://evil.example",
      "http://127.0.0.1:5000",
      "http://localhost:4000",
      "https://127.0.0.1:4000",
      "null",
    ])
      expect(ask({ origin })).toContain("origin");
  });
});
