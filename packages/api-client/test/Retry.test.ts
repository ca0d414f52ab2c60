import { describe, expect, it } from "vitest";
import { retryDelay, retrySettings } from "../src/Retry.ts";
import { apiOver, recording } from "./recording.ts";

describe("waits between attempts", () => {
  it("are random up to a bound that doubles, and no longer than the cap", () => {
    const settings = retrySettings({ base: "100 millis", cap: "1 second" });
    expect([0, 1, 2, 3, 9].map((retry) => retryDelay(settings, retry, 1, 0))).toEqual([
      100, 200, 400, 800, 1000,
    ]);
    expect(retryDelay(settings, 5, 0, 0)).toBe(0);
    expect(retryDelay(settings, 1, 0.5, 0)).toBe(100);
  });

  it("have defaults", () => {
    expect(retrySettings()).toEqual({ times: 3, base: 250, cap: 20_000, budget: 20 });
  });
});

describe("the budget", () => {
  it("is spent by retries and earned back by successes, up to where it began", async () => {
    const statuses = [503, 200, 503, 200, 200, 200, 503, 200, 503];
    const { transport } = recording((_, index) => ({ status: statuses[index]! }));
    const api = apiOver(transport, { retry: { times: 1, base: 0, budget: 1 } });
    const ends: Array<string> = [];
    for (let call = 0; call < 7; call++)
      await api.profile.get().then(
        () => ends.push("value"),
        ({ _tag }) => ends.push(_tag),
      );
    expect(ends).toEqual([
      "value",
      "ServerError",
      "value",
      "value",
      "value",
      "value",
      "ServerError",
    ]);
  });

  it("is not spent by a retry that would come too late", async () => {
    const late = { status: 503, headers: { "retry-after": "30" } };
    const { sent, transport } = recording((_, index) =>
      index < 5 ? late : { status: index === 5 ? 503 : 200 },
    );
    const retry = { times: 1, base: 0, budget: 5 };
    const api = apiOver(transport, { retry, maxWait: 1000 });
    for (let call = 0; call < 5; call++)
      await expect(api.profile.get()).rejects.toMatchObject({ status: 503 });
    await api.profile.get();
    expect(sent).toHaveLength(7);
  });
});

it("asks for a new token again after a renewal that failed for now, and not with the old one", async () => {
  const { sent, transport } = recording(({ headers }) =>
    headers["authorization"] === "Bearer new" ? {} : { status: 401, body: "{}" },
  );
  const asked: Array<string | undefined> = [];
  const api = apiOver(transport, {
    retry: { base: 0 },
    credentials: async (refused) => {
      asked.push(refused);
      if (asked.length === 2) throw new Error("not now");
      return refused === undefined ? "old" : "new";
    },
  });
  await api.profile.get();
  expect(asked).toEqual([undefined, "old", "old"]);
  expect(sent).toHaveLength(2);
});
